import type { PageRoute } from '../../app/page-route.ts';

export const limitPageRoutes: readonly PageRoute[] = [
  {
    path: '/management/limits',
    title: 'Limits',
    load: () => import('./limits-page.tsx').then(({ LimitsPage: Page }) => ({ Page })),
  },
];
