import type {
  BeatKeysTable,
  ChecksTable,
  MonitorClocksTable,
  MonitorPeriodsTable,
} from './monitoring-tables.ts';

export type MonitorClockRow = MonitorClocksTable;

export type CheckRow = ChecksTable;

export type MonitorPeriodRow = MonitorPeriodsTable;

export type BeatKeyRow = BeatKeysTable;
