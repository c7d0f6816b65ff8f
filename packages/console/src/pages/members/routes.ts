import type { PageRoute } from '../../app/page-route.ts';

/** The route of the Members page. */
export const memberPageRoutes: readonly PageRoute[] = [
  {
    path: '/management/members',
    load: () => import('./members-page.tsx').then(({ MembersPage: Page }) => ({ Page })),
  },
];
