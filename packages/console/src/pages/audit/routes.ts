import type { PageRoute } from '../../app/page-route.ts';

/** The route of the audit log page. */
export const auditPageRoutes: readonly PageRoute[] = [
  {
    path: '/management/audit',
    load: () => import('./audit-page.tsx').then(({ AuditPage: Page }) => ({ Page })),
  },
];
