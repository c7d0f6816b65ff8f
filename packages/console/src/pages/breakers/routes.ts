import type { PageRoute } from '../../app/page-route.ts';

/** The route of the Breakers page. */
export const breakerPageRoutes: readonly PageRoute[] = [
  {
    path: '/management/breakers',
    load: () => import('./breakers-page.tsx').then(({ BreakersPage: Page }) => ({ Page })),
  },
];
