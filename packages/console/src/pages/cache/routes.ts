import type { PageRoute } from '../../app/page-route.ts';

/** The route of the Cache page. */
export const cachePageRoutes: readonly PageRoute[] = [
  {
    path: '/management/cache',
    title: 'Cache',
    load: () => import('./cache-page.tsx').then(({ CachePage: Page }) => ({ Page })),
  },
];
