import type { PageRoute } from '../../app/page-route.ts';

export const maintenancePageRoutes: readonly PageRoute[] = [
  {
    path: '/maintenance',
    title: 'Maintenance',
    load: () => import('./maintenance-page.tsx').then(({ MaintenancePage: Page }) => ({ Page })),
  },
];
