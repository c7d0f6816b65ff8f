import { CounterTable } from '../analytics/figures.ts';
import { countByStatus } from '../store/monitoring/definitions.ts';
import type { Database } from '../store/ports.ts';
import type { Swept } from './sweep.ts';

/** Counters of monitoring, for `/metrics`. */
export interface MonitoringFigures {
  /** A call was committed, by its kind, or refused. */
  beat(kind: string): void;
  sweep(swept: Swept): void;
  render(): string;
}

export function createMonitoringFigures(): MonitoringFigures {
  const beats = new CounterTable({
    name: 'floe_beats_total',
    help: 'Calls of monitored jobs by kind (ok, fail, start, log); refused ones were not committed.',
    labels: ['kind'],
  });
  const missed = new CounterTable({
    name: 'floe_sweep_clocks_total',
    help: 'Monitors that the sweep looked at, by whether it found something missing.',
    labels: ['found'],
  });
  return {
    beat: (kind) => beats.add(1, kind),
    sweep({ clocks, missed: found }) {
      if (found > 0) missed.add(found, 'missed');
      if (clocks > found) missed.add(clocks - found, 'nothing');
    },
    render: () => `${beats.render()}${missed.render()}`,
  };
}

/** The counters of this process, and how many monitors are in each state now; without those while the store is away. */
export async function monitoringMetrics(
  database: Pick<Database, 'read'>,
  figures: MonitoringFigures,
): Promise<string> {
  const counts = await countByStatus(database.read).catch(() => []);
  const lines = counts.map(({ status, count }) => `floe_monitors{status="${status}"} ${count}\n`).join('');
  const head = '# HELP floe_monitors Monitors by state.\n# TYPE floe_monitors gauge\n';
  return `${figures.render()}${lines === '' ? '' : head + lines}`;
}
