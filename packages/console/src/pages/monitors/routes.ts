import type { PageRoute } from '../../app/page-route.ts';

/** The routes of the Monitors pages. */
export const monitorPageRoutes: readonly PageRoute[] = [
  {
    path: '/monitors',
    load: () =>
      import('./monitors-page.tsx').then(({ MonitorsPage: Page, prefetchMonitors }) => ({
        Page,
        prefetch: prefetchMonitors,
      })),
  },
  {
    path: '/monitors/new',
    load: () => import('./monitor-editor-page.tsx').then(({ NewMonitorPage: Page }) => ({ Page })),
  },
  {
    path: '/monitors/$id',
    load: () => import('./monitor-page.tsx').then(({ MonitorPage: Page }) => ({ Page })),
  },
  {
    path: '/monitors/$id/edit',
    load: () => import('./monitor-editor-page.tsx').then(({ EditMonitorPage: Page }) => ({ Page })),
  },
];
