import type { PageRoute } from '../../app/page-route.ts';

/** The routes of the Monitors pages. */
export const monitorPageRoutes: readonly PageRoute[] = [
  {
    path: '/monitors',
    title: 'Monitors',
    load: () =>
      import('./monitors-page.tsx').then(({ MonitorsPage: Page, prefetchMonitors }) => ({
        Page,
        prefetch: prefetchMonitors,
      })),
  },
  {
    path: '/monitors/new',
    title: 'Create monitor',
    load: () => import('./monitor-editor-page.tsx').then(({ NewMonitorPage: Page }) => ({ Page })),
  },
  {
    path: '/monitors/$id',
    title: 'Monitor',
    load: () => import('./monitor-page.tsx').then(({ MonitorPage: Page }) => ({ Page })),
  },
  {
    path: '/monitors/$id/edit',
    title: 'Edit monitor',
    load: () => import('./monitor-editor-page.tsx').then(({ EditMonitorPage: Page }) => ({ Page })),
  },
];
