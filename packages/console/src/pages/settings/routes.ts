import type { PageRoute } from '../../app/page-route.ts';

const load = () => import('./settings-page.tsx').then(({ SettingsPage: Page }) => ({ Page }));

/** The routes of the Settings pages. */
export const settingsPageRoutes: readonly PageRoute[] = [
  { path: '/management/settings', load },
  { path: '/management/settings/$section', load },
];
