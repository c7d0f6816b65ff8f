import type { PageRoute } from '../../app/page-route.ts';

export const budgetPageRoutes: readonly PageRoute[] = [
  {
    path: '/management/budgets',
    title: 'Budgets',
    load: () => import('./budgets-page.tsx').then(({ BudgetsPage: Page }) => ({ Page })),
  },
];
