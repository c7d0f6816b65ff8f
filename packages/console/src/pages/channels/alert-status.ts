import type { DisplayStatus } from '../../ui/status.tsx';
import type { ConsoleAlert } from './channel-data.ts';

/**
 * Returns the display status of an alert. Alerts of events without a duration are neither active nor ended.
 */
export function alertStatus({ event, closed_at }: Pick<ConsoleAlert, 'event' | 'closed_at'>): DisplayStatus {
  if (event === 'monitor_recovered') return 'healthy';
  if (event === 'budget' || event === 'monitor_never_beaten') return 'warning';
  return closed_at === null ? 'failing' : 'healthy';
}
