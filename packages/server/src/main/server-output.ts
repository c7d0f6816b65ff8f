import {
  type AccessLog,
  type AccessLogSettings,
  AccessLogWriter,
  NO_ACCESS_LOG,
} from '../core/access-log.ts';
import { systemClock } from '../core/clock.ts';
import { createServerLog, type Log, type LogLevel, type ServerLog } from '../core/log.ts';

/** Everything that a server process writes on standard output. */
export interface ServerOutput {
  readonly log: Log;
  readonly accessLog: AccessLog;
  /** See `ServerLog`. */
  readonly announce: ServerLog['announce'];
  /** Whether a person reads it. Anything else gets one JSON object on each line. */
  readonly isTerminal: boolean;
  /** For a person, at every level but `silent`. */
  print(text: string): void;
}

/** @param settings `log.access` of the running configuration, read for every request */
export function openServerOutput(level: LogLevel, settings: () => AccessLogSettings): ServerOutput {
  const { log, destination, announce } = createServerLog(level);
  const writer = new AccessLogWriter({ destination, settings, clock: systemClock, random: Math.random });
  // Lines wait for each other in batches; an end of any kind writes the last one.
  process.once('exit', () => writer.close());
  return {
    log,
    accessLog: level === 'info' || level === 'debug' ? writer : NO_ACCESS_LOG,
    announce,
    isTerminal: process.stdout.isTTY === true,
    print(text) {
      if (level !== 'silent') destination.write(text);
    },
  };
}
