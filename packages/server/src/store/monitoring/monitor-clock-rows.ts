import type {
  BeatIdempotencyKeysTable,
  MonitorChecksTable,
  MonitorClocksTable,
  MonitorPeriodsTable,
} from './monitoring-tables.ts';

export type MonitorClockRow = MonitorClocksTable;

export type MonitorCheckRow = MonitorChecksTable;

export type MonitorPeriodRow = MonitorPeriodsTable;

export type BeatIdempotencyKeyRow = BeatIdempotencyKeysTable;
