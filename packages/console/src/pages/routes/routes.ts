import type { PageRoute } from '../../app/page-route.ts';

/** The routes of the Routes pages. */
export const routePageRoutes: readonly PageRoute[] = [
  {
    path: '/management/routes',
    title: 'Routes',
    load: () => import('./routes-page.tsx').then(({ RoutesPage: Page }) => ({ Page })),
  },
  {
    path: '/management/routes/new',
    title: 'Create route',
    load: () => import('./route-editor-page.tsx').then(({ NewRoutePage: Page }) => ({ Page })),
  },
  {
    path: '/management/routes/$id',
    title: 'Route',
    load: () => import('./route-editor-page.tsx').then(({ EditRoutePage: Page }) => ({ Page })),
  },
];
