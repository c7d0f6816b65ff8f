import type { PageRoute } from '../../app/page-route.ts';

export const audit: readonly PageRoute[] = [
  {
    path: '/management/audit',
    title: 'Audit log',
    load: () => import('./audit-page.tsx').then(({ AuditPage: Page }) => ({ Page })),
  },
];
