import { useQuery } from '@tanstack/react-query';
import { formatShortTime, getBrowserTimeZone } from '../../format/times.ts';
import { Notice } from '../../ui/feedback.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { auditChainQuery } from './audit-data.ts';
import { auditText } from './text.ts';

/**
 * Shows whether the hash chain of the audit log is intact. Starts the verification when `isPageLoaded` becomes
 * true.
 */
export function AuditChainStatus({ isPageLoaded }: { readonly isPageLoaded: boolean }) {
  const { data: chain, error, dataUpdatedAt } = useQuery({ ...auditChainQuery, enabled: isPageLoaded });
  if (error) return <Notice>{auditText.chain.checkFailed(error.message)}</Notice>;
  if (!chain) return <p className="text-ui text-ink-3">{auditText.chain.checking}</p>;
  if (!chain.valid) return <Notice state="failing">{auditText.chain.broken(chain.broken_at)}</Notice>;
  return (
    <p className="flex flex-wrap items-center gap-2 text-ui text-ink-2">
      <StatusIcon state="healthy" size={14} />
      {auditText.chain.intact(chain.entries, formatShortTime(new Date(dataUpdatedAt), getBrowserTimeZone()))}
    </p>
  );
}
