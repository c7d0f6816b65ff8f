import type { PageRoute } from '../../app/page-route.ts';

export const relay: readonly PageRoute[] = [
  {
    path: '/relay/decisions',
    title: 'Decisions',
    load: () => import('./decisions-page.tsx').then(({ DecisionsPage: Page }) => ({ Page })),
  },
];
