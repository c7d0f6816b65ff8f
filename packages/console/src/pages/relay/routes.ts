import type { PageRoute } from '../../app/page-route.ts';

/** The routes of the Relay pages. */
export const relayPageRoutes: readonly PageRoute[] = [
  {
    path: '/relay/decisions',
    load: () => import('./decisions-page.tsx').then(({ DecisionsPage: Page }) => ({ Page })),
  },
  {
    path: '/relay/rules',
    load: () => import('./rules-page.tsx').then(({ RulesPage: Page }) => ({ Page })),
  },
  {
    path: '/relay/rules/new',
    load: () => import('./rule-editor-page.tsx').then(({ NewRulePage: Page }) => ({ Page })),
  },
  {
    path: '/relay/rules/$id',
    load: () => import('./rule-editor-page.tsx').then(({ EditRulePage: Page }) => ({ Page })),
  },
  {
    path: '/relay/approvals',
    load: () => import('./approvals-page.tsx').then(({ ApprovalsPage: Page }) => ({ Page })),
  },
  {
    // The relay’s messages to people link to this path.
    path: '/relay/approvals/$id',
    load: () => import('./approvals-page.tsx').then(({ ApprovalsPage: Page }) => ({ Page })),
  },
  {
    path: '/relay/coverage',
    load: () => import('./coverage-page.tsx').then(({ CoveragePage: Page }) => ({ Page })),
  },
];
