import type { PageRoute } from '../../app/page-route.ts';

/** The routes of the Boards pages. */
export const boardPageRoutes: readonly PageRoute[] = [
  {
    path: '/boards',
    load: () => import('./boards-page.tsx').then(({ BoardsPage: Page }) => ({ Page })),
  },
  {
    path: '/boards/new',
    load: () => import('./board-editor-page.tsx').then(({ NewBoardPage: Page }) => ({ Page })),
  },
  {
    path: '/boards/$slug/edit',
    load: () => import('./board-editor-page.tsx').then(({ EditBoardPage: Page }) => ({ Page })),
  },
];
