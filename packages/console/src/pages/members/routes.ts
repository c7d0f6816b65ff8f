import type { PageRoute } from '../../app/page-route.ts';

export const members: readonly PageRoute[] = [
  {
    path: '/management/members',
    title: 'Members',
    load: () => import('./members-page.tsx').then(({ MembersPage: Page }) => ({ Page })),
  },
];
