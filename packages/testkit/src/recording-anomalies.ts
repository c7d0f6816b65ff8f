import type { RecordedInteraction } from './recordings.ts';

/** Unusual bytes that a reader must accept. */
const ANOMALIES: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['CRLF', /\r\n/],
  ['comment', /^:/m],
  ['no space after data:', /^data:[^ \n]/m],
  ['integer above 2^53', /[:[,]\s*-?\d{17,}\s*[,\]}]/],
  ['exponent', /[:[,]\s*-?\d+(\.\d+)?[eE][+-]?\d+\s*[,\]}]/],
  ['number with trailing zeros', /[:[,]\s*-?\d+\.\d*0\s*[,\]}]/],
  ['escaped letter', /[^\\]\\u(?!00[01])/],
  ['escaped slash', /[^\\]\\\//],
  ['indented', /\n[ \t]+"/],
  ['spaced', /": /],
];

/** Names of all anomalies. */
export const ANOMALY_NAMES: readonly string[] = [
  ...ANOMALIES.map(([name]) => name),
  'not UTF-8',
  'last event not ended',
];

/**
 * Returns the names from `ANOMALY_NAMES` that apply to an interaction. Returns an empty list if the
 * recording is not byte-exact, and for binary framing.
 */
export function findAnomalies({ body, isByteExact, headers }: RecordedInteraction): string[] {
  const type = headers['content-type'] ?? '';
  if (!isByteExact || type.includes('amazon.eventstream')) return [];
  const text = body.toString('utf8');
  const found = ANOMALIES.filter(([, pattern]) => pattern.test(text)).map(([name]) => name);
  if (!Buffer.from(text).equals(body)) found.push('not UTF-8');
  if (type.includes('event-stream') && !/(\r?\n){2}$/.test(text)) found.push('last event not ended');
  return found;
}
