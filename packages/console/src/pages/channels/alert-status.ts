import type { DisplayStatus } from '../../ui/status.tsx';
import type { AlertResource } from './channel-data.ts';

/**
 * Returns the display status of an alert. Alerts about budgets and missed first beats are always warnings,
 * because these events have no end.
 */
export function getAlertStatus({
  event,
  closed_at,
}: Pick<AlertResource, 'event' | 'closed_at'>): DisplayStatus {
  if (event === 'monitor_recovered') return 'healthy';
  if (event === 'budget' || event === 'monitor_never_beaten') return 'warning';
  return closed_at === null ? 'failing' : 'healthy';
}
