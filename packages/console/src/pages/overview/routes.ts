import type { PageRoute } from '../../app/page-route.ts';

/** The route of the overview page. */
export const overviewPageRoutes: readonly PageRoute[] = [
  {
    path: '/overview',
    load: () =>
      import('./overview-page.tsx').then(({ OverviewPage: Page, prefetchOverview }) => ({
        Page,
        prefetch: prefetchOverview,
      })),
  },
];
