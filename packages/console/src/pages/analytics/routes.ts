import type { PageRoute } from '../../app/page-route.ts';

/** The route of the Analytics page. */
export const analyticsPageRoutes: readonly PageRoute[] = [
  {
    path: '/analytics',
    load: () =>
      import('./analytics-page.tsx').then(({ AnalyticsPage: Page, prefetchAnalytics }) => ({
        Page,
        prefetch: prefetchAnalytics,
      })),
  },
];
