import {
  type AccessLog,
  type AccessLogSettings,
  AccessLogWriter,
  DISABLED_ACCESS_LOG,
} from '../core/access-log.ts';
import { systemClock } from '../core/clock.ts';
import { createServerLog, type Log, type LogLevel, type ServerLog } from '../core/log.ts';

/** A server process's standard output. */
export interface ServerOutput {
  readonly log: Log;
  readonly accessLog: AccessLog;
  /** See `ServerLog`. */
  readonly announce: ServerLog['announce'];
  /** Whether the output is a terminal. Otherwise every line is one JSON object. */
  readonly isTerminal: boolean;
  /** Prints text for a person, at every log level except `silent`. */
  print(text: string): void;
}

/**
 * Opens the standard output of a server process.
 * @param settings returns `log.access` of the configuration in use; called for every request
 */
export function openServerOutput(level: LogLevel, settings: () => AccessLogSettings): ServerOutput {
  const { log, destination, announce } = createServerLog(level);
  const writer = new AccessLogWriter({ destination, settings, clock: systemClock, random: Math.random });
  // Lines are written in batches. The exit event writes the last one.
  process.once('exit', () => writer.close());
  return {
    log,
    accessLog: level === 'info' || level === 'debug' ? writer : DISABLED_ACCESS_LOG,
    announce,
    isTerminal: process.stdout.isTTY === true,
    print(text) {
      if (level !== 'silent') destination.write(Buffer.from(text));
    },
  };
}
