import type { PageRoute } from '../../app/page-route.ts';

export const breakers: readonly PageRoute[] = [
  {
    path: '/management/breakers',
    title: 'Breakers',
    load: () => import('./breakers-page.tsx').then(({ BreakersPage: Page }) => ({ Page })),
  },
];
