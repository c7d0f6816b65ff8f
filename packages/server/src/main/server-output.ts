import {
  type AccessLog,
  type AccessLogSettings,
  AccessLogWriter,
  DISABLED_ACCESS_LOG,
} from '../core/access-log.ts';
import { systemClock } from '../core/clock.ts';
import {
  createServerLog,
  type LineDestination,
  type Log,
  type LogLevel,
  type ServerLog,
} from '../core/log.ts';

/** A server process's standard output. */
export interface ServerOutput {
  readonly log: Log;
  readonly accessLog: AccessLog;
  /** Accepts complete lines from elsewhere. */
  readonly destination: LineDestination;
  /** Logs a message at level `info` (see `ServerLog`). */
  readonly announce: ServerLog['announce'];
  /** Whether the output is a terminal. If not, every line is one JSON object. */
  readonly isTerminal: boolean;
  /** Prints text for the operator, at every log level except `silent`. */
  print(text: string): void;
}

/**
 * Opens the standard output of a server process.
 * @param settings returns the setting `log.access` in use; called for every request
 */
export function openServerOutput(level: LogLevel, settings: () => AccessLogSettings): ServerOutput {
  const { log, destination, announce } = createServerLog(level);
  const writer = new AccessLogWriter({ destination, settings, clock: systemClock, random: Math.random });
  // Lines are written in batches. The exit event writes the last one.
  process.once('exit', () => writer.close());
  return {
    log,
    accessLog: level === 'info' || level === 'debug' ? writer : DISABLED_ACCESS_LOG,
    destination,
    announce,
    isTerminal: process.stdout.isTTY === true,
    print(text) {
      if (level !== 'silent') destination.write(Buffer.from(text));
    },
  };
}
