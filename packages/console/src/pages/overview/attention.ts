import type { OverviewAttentionItem } from '@floe/contract/api/overview';
import type { DisplayStatus } from '../../ui/status.tsx';
import { overviewText } from './text.ts';

/** Returns the link to the page of the resource that an item of the overview is about. */
export function buildAttentionLink({ subject }: Pick<OverviewAttentionItem, 'subject'>): {
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

/** Returns the label for the kind of an item that needs attention. */
export function getAttentionLabel({ kind }: Pick<OverviewAttentionItem, 'kind'>): string {
  return overviewText.attention.kinds[kind];
}

/** Returns the display status for the severity of an item that needs attention. */
export function getAttentionStatus({ severity }: Pick<OverviewAttentionItem, 'severity'>): DisplayStatus {
  return severity === 'critical' ? 'failing' : severity === 'warning' ? 'warning' : 'waiting';
}
