import type { PageRoute } from '../../app/page-route.ts';

/** The routes of the Keys pages. */
export const keyPageRoutes: readonly PageRoute[] = [
  {
    path: '/management/keys',
    load: () => import('./keys-page.tsx').then(({ KeysPage: Page }) => ({ Page })),
  },
  {
    path: '/management/keys/$id',
    load: () =>
      import('./key-page.tsx').then(({ KeyPage: Page, prefetchKey }) => ({ Page, prefetch: prefetchKey })),
  },
];
