import type {
  BeatIdempotencyKeysTable,
  MonitorChecksTable,
  MonitorPeriodsTable,
  MonitorStatesTable,
} from './monitoring-tables.ts';

export type MonitorStateRow = MonitorStatesTable;

export type MonitorCheckRow = MonitorChecksTable;

export type MonitorPeriodRow = MonitorPeriodsTable;

export type BeatIdempotencyKeyRow = BeatIdempotencyKeysTable;
