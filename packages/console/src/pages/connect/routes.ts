import type { PageRoute } from '../../app/page-route.ts';

const load = () => import('./connect-page.tsx').then(({ ConnectPage: Page }) => ({ Page }));

export const connectPageRoutes: readonly PageRoute[] = [
  { path: '/connect', title: 'Connect', load },
  { path: '/connect/$client', title: 'Connect', load },
];
