import type { PageRoute } from '../../app/page-route.ts';

/** The routes of the Routes pages. */
export const routePageRoutes: readonly PageRoute[] = [
  {
    path: '/management/routes',
    load: () => import('./routes-page.tsx').then(({ RoutesPage: Page }) => ({ Page })),
  },
  {
    path: '/management/routes/new',
    load: () => import('./route-editor-page.tsx').then(({ NewRoutePage: Page }) => ({ Page })),
  },
  {
    path: '/management/routes/$id',
    load: () => import('./route-editor-page.tsx').then(({ EditRoutePage: Page }) => ({ Page })),
  },
];
