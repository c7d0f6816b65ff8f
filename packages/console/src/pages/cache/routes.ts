import type { PageRoute } from '../../app/page-route.ts';

export const cachePageRoutes: readonly PageRoute[] = [
  {
    path: '/management/cache',
    title: 'Cache',
    load: () => import('./cache-page.tsx').then(({ CachePage: Page }) => ({ Page })),
  },
];
