import { CounterTable } from '../analytics/figures.ts';
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
