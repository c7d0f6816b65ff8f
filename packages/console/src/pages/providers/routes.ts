import type { PageRoute } from '../../app/page-route.ts';

/** The routes of the Providers pages. */
export const providerPageRoutes: readonly PageRoute[] = [
  {
    path: '/management/providers',
    title: 'Providers',
    load: () => import('./providers-page.tsx').then(({ ProvidersPage: Page }) => ({ Page })),
  },
  {
    path: '/management/providers/new',
    title: 'Add provider',
    load: () => import('./new-provider-page.tsx').then(({ NewProviderPage: Page }) => ({ Page })),
  },
  {
    path: '/management/providers/$id',
    title: 'Provider',
    load: () => import('./provider-page.tsx').then(({ ProviderPage: Page }) => ({ Page })),
  },
];
