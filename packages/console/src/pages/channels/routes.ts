import type { PageRoute } from '../../app/page-route.ts';

/** The route of the Channels page. */
export const channelPageRoutes: readonly PageRoute[] = [
  {
    path: '/channels',
    load: () => import('./channels-page.tsx').then(({ ChannelsPage: Page }) => ({ Page })),
  },
];
