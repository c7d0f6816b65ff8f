import type { Log } from '../../core/log.ts';

export interface RecordedLogLine {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

/** A log that records its lines for tests. */
export function createLogSpy(): Log & { readonly lines: RecordedLogLine[] } {
  const lines: RecordedLogLine[] = [];
  const at = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
