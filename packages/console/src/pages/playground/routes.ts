import type { PageRoute } from '../../app/page-route.ts';

/** The route of the Playground page. */
export const playgroundPageRoutes: readonly PageRoute[] = [
  {
    path: '/playground',
    load: () => import('./playground-page.tsx').then(({ PlaygroundPage: Page }) => ({ Page })),
  },
];
