import type { PageRoute } from '../../app/page-route.ts';

const load = () => import('./connect-page.tsx').then(({ ConnectPage: Page }) => ({ Page }));

/** The routes of the Connect pages. */
export const connectPageRoutes: readonly PageRoute[] = [
  { path: '/connect', load },
  { path: '/connect/$client', load },
];
