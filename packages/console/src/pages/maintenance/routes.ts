import type { PageRoute } from '../../app/page-route.ts';

/** The route of the Maintenance page. */
export const maintenancePageRoutes: readonly PageRoute[] = [
  {
    path: '/maintenance',
    load: () => import('./maintenance-page.tsx').then(({ MaintenancePage: Page }) => ({ Page })),
  },
];
