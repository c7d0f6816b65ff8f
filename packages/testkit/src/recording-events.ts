import { getFramePayload, isAmazonEventStream } from './amazon-event-stream.ts';
import { splitFrames } from './chunking.ts';
import type { RecordedInteraction } from './recordings.ts';

/** One event of a response, or the whole response. `value` is undefined if the data is not JSON. */
export interface RecordedEvent {
  /** Name from the event line or the frame headers. Empty if there is none. */
  readonly name: string;
  readonly data: string;
  readonly value: unknown;
}

/**
 * Splits a response into its events: server-sent events, NDJSON lines, AWS frames, or one whole
 * body.
 */
export function parseRecordedEvents({
  body,
  headers,
}: Pick<RecordedInteraction, 'body' | 'headers'>): RecordedEvent[] {
  const type = headers['content-type'] ?? '';
  const pieces = splitFrames(body, type);
  if (isAmazonEventStream(type)) return pieces.map(parseBinaryEvent);
  if (type.includes('ndjson')) return pieces.map((line) => toRecordedEvent('', line.toString('utf8')));
  if (!type.includes('event-stream')) return [toRecordedEvent('', body.toString('utf8'))];
  return pieces.flatMap((piece) => {
    const lines = piece.toString('utf8').split(/\r\n|\r|\n/);
    const data = lines.flatMap((line) => /^data: ?(.*)$/s.exec(line)?.[1] ?? []);
    const name = lines.flatMap((line) => /^event: ?(.*)$/.exec(line)?.[1] ?? []).at(-1) ?? '';
    return data.length === 0 ? [] : [toRecordedEvent(name, data.join('\n'))];
  });
}

function parseBinaryEvent(frame: Buffer): RecordedEvent {
  const headers = frame.toString('latin1', 12, 12 + frame.readUInt32BE(4));
  // A header has its name, the type 7 (text), a two-byte length, and the value.
  const name = /:(?:event|exception)-type\x07\x00(.)/s.exec(headers);
  const start = (name?.index ?? 0) + (name?.[0].length ?? 0);
  const length = name?.[1]?.charCodeAt(0) ?? 0;
  return toRecordedEvent(headers.slice(start, start + length), getFramePayload(frame));
}

function toRecordedEvent(name: string, data: string): RecordedEvent {
  return { name, data, value: tryParseJson(data) };
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
