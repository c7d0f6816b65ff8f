import type { PageRoute } from '../../app/page-route.ts';

/** The routes of the Policies pages. */
export const policyPageRoutes: readonly PageRoute[] = [
  {
    path: '/management/policies',
    load: () => import('./policies-page.tsx').then(({ PoliciesPage: Page }) => ({ Page })),
  },
  {
    path: '/management/policies/new',
    load: () => import('./policy-editor-page.tsx').then(({ NewPolicyPage: Page }) => ({ Page })),
  },
  {
    path: '/management/policies/$id',
    load: () => import('./policy-editor-page.tsx').then(({ EditPolicyPage: Page }) => ({ Page })),
  },
];
