import type { PageRoute } from '../../app/page-route.ts';

export const memberPageRoutes: readonly PageRoute[] = [
  {
    path: '/management/members',
    title: 'Members',
    load: () => import('./members-page.tsx').then(({ MembersPage: Page }) => ({ Page })),
  },
];
