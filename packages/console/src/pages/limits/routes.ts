import type { PageRoute } from '../../app/page-route.ts';

/** The route of the Limits page. */
export const limitPageRoutes: readonly PageRoute[] = [
  {
    path: '/management/limits',
    load: () => import('./limits-page.tsx').then(({ LimitsPage: Page }) => ({ Page })),
  },
];
