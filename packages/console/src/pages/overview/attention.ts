import type { OverviewAttention } from '@floe/contract/api/overview';
import type { DisplayStatus } from '../../ui/status.tsx';

/** Where an entry leads: the page that shows what it is about, with what can be done. Pure. */
export function attentionLink({ subject }: Pick<OverviewAttention, 'subject'>): {
  readonly to: string;
  readonly search: Readonly<Record<string, string>>;
} {
  const id = encodeURIComponent(subject.id);
  switch (subject.kind) {
    case 'config':
      return { to: '/management/settings', search: {} };
    case 'monitor':
      return { to: `/monitors/${id}`, search: {} };
    case 'monitors':
      return { to: '/monitors', search: {} };
    case 'budget':
      return { to: '/management/budgets', search: { open: subject.id } };
    case 'key':
      return { to: `/management/keys/${id}`, search: {} };
    case 'breaker':
      return { to: '/management/breakers', search: { open: subject.id } };
    default:
      return { to: '/management/settings', search: {} };
  }
}

const WORDS: Readonly<Record<OverviewAttention['kind'], string>> = {
  config_rejected: 'Change refused',
  store_unavailable: 'Away',
  rows_pending: 'Rows wait',
  credential_rejected: 'Credential refused',
  breaker_open: 'Breaker open',
  breaker_forced: 'Breaker forced',
  monitor_failing: 'Failing',
  budget_used: 'Budget',
  beats_rejected: 'Beats refused',
  key_expires: 'Key ends soon',
};

export function attentionLabel({ kind }: Pick<OverviewAttention, 'kind'>): string {
  return WORDS[kind];
}

export function attentionStatus({ severity }: Pick<OverviewAttention, 'severity'>): DisplayStatus {
  return severity === 'critical' ? 'failing' : severity === 'warning' ? 'warning' : 'waiting';
}
