import { getFramePayload, isAmazonEventStream, replaceFramePayload } from './amazon-event-stream.ts';
import { splitFrames } from './chunking.ts';
import type { FakeResponse } from './fake-response.ts';
import { isPlainObject } from './recordings.ts';

/** Changes the JSON of one event in place. `drop` omits the event. */
type EventEdit = (event: Record<string, unknown>) => 'keep' | 'drop';

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

/** Splits a response into its units, by its content type. */
export function splitResponseFrames(answer: FakeResponse): Buffer[] {
  return splitFrames(answer.body, answer.headers['content-type'] ?? '');
}

/** Removes the `[DONE]` event that ends a Chat stream. */
export function removeDoneEvent(answer: FakeResponse): FakeResponse {
  return replaceFrames(
    answer,
    splitResponseFrames(answer).filter((frame) => !isChatDoneEvent(frame)),
  );
}

/** Removes finish reasons, and events that contain nothing else. Keeps `[DONE]`. */
export function removeFinishReasons(answer: FakeResponse): FakeResponse {
  return editEvents(answer, (event) => {
    if (typeof event['stopReason'] === 'string' && event['output'] === undefined) return 'drop';
    if (typeof event['type'] === 'string' && TERMINAL_EVENTS.includes(event['type'])) return 'drop';
    visitObjects(event, (map) => {
      for (const name of FINISH_MEMBERS) if (name in map) map[name] = null;
    });
    return 'keep';
  });
}

/** Removes usage, and Chat events that contain only usage. */
export function removeUsage(answer: FakeResponse): FakeResponse {
  return editEvents(answer, (event) => {
    const onlyUsage =
      Array.isArray(event['choices']) && event['choices'].length === 0 && isPlainObject(event['usage']);
    visitObjects(event, (map) => {
      for (const name of USAGE_MEMBERS) delete map[name];
    });
    return onlyUsage ? 'drop' : 'keep';
  });
}

/** Truncates the middle event of a stream inside its JSON. */
export function truncateMiddleEvent(answer: FakeResponse): FakeResponse {
  const all = splitResponseFrames(answer);
  const middle = Math.floor(all.length / 2);
  const broken = all.map((frame, index) => {
    if (index !== middle) return frame;
    const text = frame.toString('utf8').trimEnd();
    return Buffer.from(`${text.slice(0, Math.ceil(text.length / 2))}\n\n`);
  });
  return replaceFrames(answer, broken);
}

/** Returns whether a frame is the `[DONE]` event of a Chat stream. */
export function isChatDoneEvent(frame: Buffer): boolean {
  return /^data:\s*\[DONE\]/.test(frame.toString('utf8'));
}

/** Returns the response with these frames as its body. */
export function replaceFrames(answer: FakeResponse, parts: readonly Buffer[]): FakeResponse {
  return { ...answer, body: Buffer.concat(parts) };
}

function editEvents(answer: FakeResponse, edit: EventEdit): FakeResponse {
  const isBinary = isAmazonEventStream(answer.headers['content-type'] ?? '');
  const change = isBinary ? editBinaryFrame : editFrame;
  return replaceFrames(
    answer,
    splitResponseFrames(answer).flatMap((frame) => change(frame, edit)),
  );
}

/** Edits an SSE frame with one `data:` line, an NDJSON line or a whole JSON body. */
function editFrame(frame: Buffer, edit: EventEdit): Buffer[] {
  const text = frame.toString('utf8');
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}') + 1;
  if (from < 0) return [frame];
  const event: unknown = JSON.parse(text.slice(from, to));
  if (!isPlainObject(event)) return [frame];
  if (edit(event) === 'drop') return [];
  return [Buffer.from(text.slice(0, from) + JSON.stringify(event) + text.slice(to))];
}

function editBinaryFrame(frame: Buffer, edit: EventEdit): Buffer[] {
  return editFrame(Buffer.from(getFramePayload(frame)), edit).map((payload) =>
    replaceFramePayload(frame, payload.toString('utf8')),
  );
}

function visitObjects(value: unknown, change: (map: Record<string, unknown>) => void): void {
  if (Array.isArray(value)) for (const item of value) visitObjects(item, change);
  else if (isPlainObject(value)) {
    change(value);
    for (const item of Object.values(value)) visitObjects(item, change);
  }
}
