import type { PageRoute } from '../../app/page-route.ts';

/** The route of the Budgets page. */
export const budgetPageRoutes: readonly PageRoute[] = [
  {
    path: '/management/budgets',
    load: () => import('./budgets-page.tsx').then(({ BudgetsPage: Page }) => ({ Page })),
  },
];
