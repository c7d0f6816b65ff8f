import type { Answer } from './answer.ts';
import { frames } from './chunking.ts';
import { isEventStream, payloadOf, withPayload } from './event-stream.ts';
import { isMap } from './recordings.ts';

/** Changes one event's JSON in place; `drop` leaves the event out. */
type Edit = (event: Record<string, unknown>) => 'keep' | 'drop';

const USAGE_MEMBERS = ['usage', 'x_groq', 'usageMetadata'];
const FINISH_MEMBERS = ['finish_reason', 'native_finish_reason', 'finishReason', 'stop_reason', 'stopReason'];
const TERMINAL_EVENTS = [
  'message_delta',
  'message_stop',
  'message-end',
  'response.completed',
  'response.incomplete',
  'response.failed',
];

/** The units `answer` is made of, by its content type. */
export function framesOf(answer: Answer): Buffer[] {
  return frames(answer.body, answer.headers['content-type'] ?? '');
}

/** Without the `[DONE]` that ends a Chat stream. */
export function withoutDone(answer: Answer): Answer {
  return withFrames(
    answer,
    framesOf(answer).filter((frame) => !isDone(frame)),
  );
}

/** Without finish reasons and the events that carry nothing else; `[DONE]`, where there is one, stays. */
export function withoutFinish(answer: Answer): Answer {
  return edited(answer, (event) => {
    if (typeof event['stopReason'] === 'string' && event['output'] === undefined) return 'drop';
    if (typeof event['type'] === 'string' && TERMINAL_EVENTS.includes(event['type'])) return 'drop';
    visit(event, (map) => {
      for (const name of FINISH_MEMBERS) if (name in map) map[name] = null;
    });
    return 'keep';
  });
}

/** Without any usage; a Chat event that carried only usage goes away. */
export function withoutUsage(answer: Answer): Answer {
  return edited(answer, (event) => {
    const onlyUsage =
      Array.isArray(event['choices']) && event['choices'].length === 0 && isMap(event['usage']);
    visit(event, (map) => {
      for (const name of USAGE_MEMBERS) delete map[name];
    });
    return onlyUsage ? 'drop' : 'keep';
  });
}

/** With the frame in the middle cut off inside its JSON. */
export function withMalformedEvent(answer: Answer): Answer {
  const all = framesOf(answer);
  const middle = Math.floor(all.length / 2);
  const broken = all.map((frame, index) => {
    if (index !== middle) return frame;
    const text = frame.toString('utf8').trimEnd();
    return Buffer.from(`${text.slice(0, Math.ceil(text.length / 2))}\n\n`);
  });
  return withFrames(answer, broken);
}

export function isDone(frame: Buffer): boolean {
  return /^data:\s*\[DONE\]/.test(frame.toString('utf8'));
}

export function withFrames(answer: Answer, parts: readonly Buffer[]): Answer {
  return { ...answer, body: Buffer.concat(parts) };
}

function edited(answer: Answer, edit: Edit): Answer {
  const isBinary = isEventStream(answer.headers['content-type'] ?? '');
  const change = isBinary ? editBinaryFrame : editFrame;
  return withFrames(
    answer,
    framesOf(answer).flatMap((frame) => change(frame, edit)),
  );
}

/** Works on an SSE frame with one `data:` line, on an NDJSON line and on a whole JSON body alike. */
function editFrame(frame: Buffer, edit: Edit): Buffer[] {
  const text = frame.toString('utf8');
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}') + 1;
  if (from < 0) return [frame];
  const event: unknown = JSON.parse(text.slice(from, to));
  if (!isMap(event)) return [frame];
  if (edit(event) === 'drop') return [];
  return [Buffer.from(text.slice(0, from) + JSON.stringify(event) + text.slice(to))];
}

function editBinaryFrame(frame: Buffer, edit: Edit): Buffer[] {
  return editFrame(Buffer.from(payloadOf(frame)), edit).map((payload) =>
    withPayload(frame, payload.toString('utf8')),
  );
}

function visit(value: unknown, change: (map: Record<string, unknown>) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, change);
  else if (isMap(value)) {
    change(value);
    for (const item of Object.values(value)) visit(item, change);
  }
}
