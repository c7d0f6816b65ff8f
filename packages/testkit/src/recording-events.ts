import { frames } from './chunking.ts';
import { isEventStream, payloadOf } from './event-stream.ts';
import type { Interaction } from './recordings.ts';

/** One event of an answer, or the whole answer; `value` is undefined where the data is not JSON. */
export interface RecordedEvent {
  /** Of the event line or the frame's headers; empty where there is none. */
  readonly name: string;
  readonly data: string;
  readonly value: unknown;
}

/** Splits an answer into its events: server-sent events, NDJSON lines, AWS frames, or one whole body. */
export function recordedEvents({ body, headers }: Pick<Interaction, 'body' | 'headers'>): RecordedEvent[] {
  const type = headers['content-type'] ?? '';
  const pieces = frames(body, type);
  if (isEventStream(type)) return pieces.map(binaryEvent);
  if (type.includes('ndjson')) return pieces.map((line) => eventOf('', line.toString('utf8')));
  if (!type.includes('event-stream')) return [eventOf('', body.toString('utf8'))];
  return pieces.flatMap((piece) => {
    const lines = piece.toString('utf8').split(/\r\n|\r|\n/);
    const data = lines.flatMap((line) => /^data: ?(.*)$/s.exec(line)?.[1] ?? []);
    const name = lines.flatMap((line) => /^event: ?(.*)$/.exec(line)?.[1] ?? []).at(-1) ?? '';
    return data.length === 0 ? [] : [eventOf(name, data.join('\n'))];
  });
}

function binaryEvent(frame: Buffer): RecordedEvent {
  const headers = frame.toString('latin1', 12, 12 + frame.readUInt32BE(4));
  // A header is its name, the type 7 (text), the length in two bytes, and the value.
  const name = /:(?:event|exception)-type\x07\x00(.)/s.exec(headers);
  const start = (name?.index ?? 0) + (name?.[0].length ?? 0);
  const length = name?.[1]?.charCodeAt(0) ?? 0;
  return eventOf(headers.slice(start, start + length), payloadOf(frame));
}

function eventOf(name: string, data: string): RecordedEvent {
  return { name, data, value: parsed(data) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
