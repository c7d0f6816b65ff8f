import type { PageRoute } from '../../app/page-route.ts';

export const channels: readonly PageRoute[] = [
  {
    path: '/channels',
    title: 'Channels',
    load: () => import('./channels-page.tsx').then(({ ChannelsPage: Page }) => ({ Page })),
  },
];
