import type { PageRoute } from '../../app/page-route.ts';

export const alertPageRoutes: readonly PageRoute[] = [
  {
    path: '/alerts',
    title: 'Alerts',
    load: () =>
      import('./alerts-page.tsx').then(({ AlertsPage: Page, prefetchAlerts }) => ({
        Page,
        ask: prefetchAlerts,
      })),
  },
];
