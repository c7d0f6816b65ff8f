import type { PageRoute } from '../../app/page-route.ts';

/** The route of the Models page. */
export const modelPageRoutes: readonly PageRoute[] = [
  {
    path: '/management/models',
    load: () => import('./models-page.tsx').then(({ ModelsPage: Page }) => ({ Page })),
  },
];
