import type { PageRoute } from '../../app/page-route.ts';

export const requestPageRoutes: readonly PageRoute[] = [
  {
    path: '/requests',
    title: 'Requests',
    load: () =>
      import('./requests-page.tsx').then(({ RequestsPage: Page, prefetchRequests }) => ({
        Page,
        ask: prefetchRequests,
      })),
  },
  {
    path: '/requests/$id',
    title: 'Request',
    load: () => import('./request-page.tsx').then(({ RequestPage: Page }) => ({ Page })),
  },
];
