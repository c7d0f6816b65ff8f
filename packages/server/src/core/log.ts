import { pino } from 'pino';

/**
 * Writes structured log lines to standard output. Callers must never pass a key, a credential or a
 * body.
 */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The log levels, from the most detailed one to none. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A destination that writes formatted lines in order. */
export interface LineDestination {
  /**
   * Returns false if the reader is slower than the writer. `onDrain` then reports when to continue. `bytes`
   * must not change before `onDrain`.
   */
  write(bytes: Buffer): boolean;
  /** Calls `callback` each time all bytes have been written. */
  onDrain(callback: () => void): void;
  /** Writes the remaining text and blocks until it is written. */
  flushSync(): void;
}

/** A server process's log. Writes do not block. */
export interface ServerLog {
  readonly log: Log;
  readonly destination: LineDestination;
  /** Writes a line at level `info`, even if the log has a higher level, except `silent`. */
  announce(fields: object, message: string): void;
}

const FORMAT = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label: string) => ({ level: label }) },
} as const;

/** Creates a log that writes each line synchronously. For commands that exit soon. */
export function createLog(level: LogLevel): Log {
  return pino({ level, ...FORMAT });
}

/** Creates the log of a server process. */
export function createServerLog(level: LogLevel): ServerLog {
  // Texts of 64 KB that consist of many parts take pino's stream 4 µs per line to encode, bytes 0.8 µs.
  const stream = pino.destination({ fd: 1, sync: false, contentMode: 'buffer' });
  if (!acceptsBytes(stream)) throw new Error('the log stream does not accept bytes');
  const lines = { write: (line: string) => void stream.write(Buffer.from(line)) };
  const log = pino({ level, ...FORMAT }, lines);
  const unfiltered = level === 'silent' ? null : pino({ level: 'info', ...FORMAT }, lines);
  return {
    log,
    destination: {
      write: (bytes) => stream.write(bytes),
      onDrain: (callback) => void stream.on('drain', callback),
      flushSync: () => stream.flushSync(),
    },
    announce: (fields, message) => unfiltered?.info(fields, message),
  };
}

/**
 * Narrows the type of the stream: with `contentMode: 'buffer'`, `write` accepts bytes, but the types of the
 * library declare only texts.
 */
function acceptsBytes<Stream extends object>(
  stream: Stream,
): stream is Stream & { write(bytes: Buffer): boolean } {
  return 'write' in stream && typeof stream.write === 'function';
}

/** A log that discards every line. */
export const silentLog: Log = createLog('silent');
