import type { DisplayStatus } from '../../ui/status.tsx';
import type { ConsoleAlert } from './channel-data.ts';

/** The status to show for an alert. Events without an end are neither ongoing nor ended. */
export function alertStatus({ event, closed_at }: Pick<ConsoleAlert, 'event' | 'closed_at'>): DisplayStatus {
  if (event === 'monitor_recovered') return 'healthy';
  if (event === 'budget' || event === 'monitor_never_beaten') return 'warning';
  return closed_at === null ? 'failing' : 'healthy';
}
