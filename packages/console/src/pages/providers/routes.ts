import type { PageRoute } from '../../app/page-route.ts';

/** The routes of the Providers pages. */
export const providerPageRoutes: readonly PageRoute[] = [
  {
    path: '/management/providers',
    load: () => import('./providers-page.tsx').then(({ ProvidersPage: Page }) => ({ Page })),
  },
  {
    path: '/management/providers/new',
    load: () => import('./new-provider-page.tsx').then(({ NewProviderPage: Page }) => ({ Page })),
  },
  {
    path: '/management/providers/$id',
    load: () => import('./provider-page.tsx').then(({ ProviderPage: Page }) => ({ Page })),
  },
];
