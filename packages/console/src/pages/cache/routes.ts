import type { PageRoute } from '../../app/page-route.ts';

/** The route of the Cache page. */
export const cachePageRoutes: readonly PageRoute[] = [
  {
    path: '/management/cache',
    load: () => import('./cache-page.tsx').then(({ CachePage: Page }) => ({ Page })),
  },
];
