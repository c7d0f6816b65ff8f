import type { PageRoute } from '../../app/page-route.ts';

/** The route of the Alerts page. */
export const alertPageRoutes: readonly PageRoute[] = [
  {
    path: '/alerts',
    load: () =>
      import('./alerts-page.tsx').then(({ AlertsPage: Page, prefetchAlerts }) => ({
        Page,
        prefetch: prefetchAlerts,
      })),
  },
];
