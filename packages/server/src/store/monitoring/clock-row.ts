import type { BeatKeysTable, ChecksTable, MonitorClocksTable, MonitorPeriodsTable } from './tables.ts';

export type ClockRow = MonitorClocksTable;

export type CheckRow = ChecksTable;

export type PeriodRow = MonitorPeriodsTable;

export type BeatKeyRow = BeatKeysTable;
