import { pino } from 'pino';

/** Structured log lines on standard output. Never pass a key, a credential or a body. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where lines go that were formatted elsewhere, in the order in which they are written. */
export interface LineDestination {
  /** False when the reader is slower than the writer; `onDrain` reports when to continue. */
  write(text: string): boolean;
  onDrain(callback: () => void): void;
  /** Writes what is left; blocks until it is written. */
  flushSync(): void;
}

/** The log of a server process, which writes without blocking. */
export interface ServerLog {
  readonly log: Log;
  readonly destination: LineDestination;
  /** A line at `info` that is written at every level but `silent`. */
  announce(fields: object, message: string): void;
}

const FORMAT = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label: string) => ({ level: label }) },
} as const;

/** Writes each line before the call returns: for commands that end soon. */
export function createLog(level: LogLevel): Log {
  return pino({ level, ...FORMAT });
}

export function createServerLog(level: LogLevel): ServerLog {
  const stream = pino.destination({ fd: 1, sync: false });
  const log = pino({ level, ...FORMAT }, stream);
  const unfiltered = level === 'silent' ? null : pino({ level: 'info', ...FORMAT }, stream);
  return {
    log,
    destination: {
      write: (text) => stream.write(text),
      onDrain: (callback) => void stream.on('drain', callback),
      flushSync: () => stream.flushSync(),
    },
    announce: (fields, message) => unfiltered?.info(fields, message),
  };
}

export const silentLog: Log = createLog('silent');
