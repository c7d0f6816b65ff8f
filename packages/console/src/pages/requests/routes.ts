import type { PageRoute } from '../../app/page-route.ts';

/** The routes of the Requests pages. */
export const requestPageRoutes: readonly PageRoute[] = [
  {
    path: '/requests',
    load: () =>
      import('./requests-page.tsx').then(({ RequestsPage: Page, prefetchRequests }) => ({
        Page,
        prefetch: prefetchRequests,
      })),
  },
  {
    path: '/requests/$id',
    load: () => import('./request-page.tsx').then(({ RequestPage: Page }) => ({ Page })),
  },
];
