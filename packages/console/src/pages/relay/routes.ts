import type { PageRoute } from '../../app/page-route.ts';

/** The routes of the Relay pages. */
export const relayPageRoutes: readonly PageRoute[] = [
  {
    path: '/relay/decisions',
    title: 'Decisions',
    load: () => import('./decisions-page.tsx').then(({ DecisionsPage: Page }) => ({ Page })),
  },
  {
    path: '/relay/rules',
    title: 'Rules',
    load: () => import('./rules-page.tsx').then(({ RulesPage: Page }) => ({ Page })),
  },
  {
    path: '/relay/rules/new',
    title: 'Create rule',
    load: () => import('./rule-editor-page.tsx').then(({ NewRulePage: Page }) => ({ Page })),
  },
  {
    path: '/relay/rules/$id',
    title: 'Rule',
    load: () => import('./rule-editor-page.tsx').then(({ EditRulePage: Page }) => ({ Page })),
  },
  {
    path: '/relay/approvals',
    title: 'Approvals',
    load: () => import('./approvals-page.tsx').then(({ ApprovalsPage: Page }) => ({ Page })),
  },
  {
    // The relay’s messages to people link to this path.
    path: '/relay/approvals/$id',
    title: 'Approval',
    load: () => import('./approvals-page.tsx').then(({ ApprovalsPage: Page }) => ({ Page })),
  },
  {
    path: '/relay/coverage',
    title: 'Hook coverage',
    load: () => import('./coverage-page.tsx').then(({ CoveragePage: Page }) => ({ Page })),
  },
];
