import type { PageRoute } from '../../app/page-route.ts';

export const auditPageRoutes: readonly PageRoute[] = [
  {
    path: '/management/audit',
    title: 'Audit log',
    load: () => import('./audit-page.tsx').then(({ AuditPage: Page }) => ({ Page })),
  },
];
