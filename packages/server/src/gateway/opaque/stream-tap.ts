import { isObject, type JsonObject } from '@floe/contract/json';
import { type ContentBytes, contentBytesIn } from '@floe/wire/content-bytes';
import { usageIn } from '@floe/wire/passing-usage';
import { type Frames, frameData, SseFramer } from '@floe/wire/sse';
import { mergeUsage, type Usage } from '@floe/wire/usage';

/** Events that announce an answer without any of it. */
const ANNOUNCING = new Set([
  'message_start',
  'ping',
  'response.created',
  'response.in_progress',
  'response.queued',
]);
/** Events after which nothing is missing, whatever their answer's fate. */
const LAST = new Set([
  'message_stop',
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
]);
const USAGE = '"usage"';

/**
 * Listens to a stream of events that passes untouched: whether content has come, whether it failed before, whether
 * its last event has come, what was used, how much content it brought, and the id of the stored response it announces.
 * Never throws; what it does not understand counts as content.
 */
export class StreamTap {
  content = false;
  /** An error came before any content. */
  failed = false;
  /** An error came. */
  erred = false;
  /** The stream said that it is over. */
  ended = false;
  usage: Usage | undefined;
  finish: string | null = null;
  responseId: string | null = null;
  /** UTF-8 bytes of generated content so far, and the events that brought some. */
  contentBytes = 0;
  contentPieces = 0;
  /** Of the Responses dialect: the response as it was announced, and the last event. */
  response: JsonObject | null = null;
  lastData = '';
  #framer = new SseFramer();
  #deaf = false;

  /** The whole frames that `chunk` completes; null once they cannot be told apart any more. */
  push(chunk: Buffer): Frames | null {
    if (this.#deaf) {
      this.contentBytes += chunk.length;
      return null;
    }
    try {
      const frames = this.#framer.push(chunk);
      let from = frames.lead;
      for (const end of frames.ends) {
        this.#hear(frames.bytes.subarray(from, end));
        from = end;
      }
      return frames;
    } catch {
      // A frame beyond all measure: the bytes are the client's to judge, only the count is lost.
      this.#deaf = true;
      this.content = true;
      this.ended = true;
      return null;
    }
  }

  /** The unfinished frame at the end of what came. */
  rest(): Buffer {
    return this.#framer.rest();
  }

  #hear(frame: Buffer): void {
    const found = frameData(frame);
    if (!found) return;
    const data = found.bytes.toString('utf8', found.start, found.end);
    if (data === '[DONE]') {
      this.ended = true;
      return;
    }
    this.lastData = data;
    this.#count(contentBytesIn(found.bytes, found.start, found.end));
    // Most of a stream is deltas: once content has come, only frames that may end or count something are parsed.
    if (this.content && !data.includes(USAGE) && !FINISHES.test(data)) return;
    const body = parsed(data);
    if (!body) this.content = true;
    else this.#read(body, found.event);
  }

  /** The last event of some dialects repeats the whole answer, which is all of it where no deltas came before. */
  #count({ added, whole }: ContentBytes): void {
    if (added > 0) this.contentPieces += 1;
    this.contentBytes = Math.max(this.contentBytes + added, whole);
  }

  #read(body: JsonObject, event: string): void {
    const type = typeof body['type'] === 'string' ? body['type'] : event;
    this.usage = mergeUsage(this.usage, usageIn(body));
    if (LAST.has(type)) this.ended = true;
    const isError = type === 'error' || isObject(body['error']) || type === 'response.failed';
    if (isError) this.ended = this.erred = true;
    const stored = body['object'] === 'chat.completion.chunk' ? body : body['response'];
    if (isObject(stored) && typeof stored['id'] === 'string') this.responseId ??= stored['id'];
    if (type === 'response.created' && isObject(stored)) this.response = stored;
    this.#noteFinish(body);
    if (this.content || ANNOUNCING.has(type)) return;
    if (isError) this.failed = true;
    else if (hasContent(body)) this.content = true;
  }

  #noteFinish(body: JsonObject): void {
    const [choice] = Array.isArray(body['choices']) ? body['choices'] : [];
    const { delta, response } = body;
    const reason =
      (isObject(choice) && choice['finish_reason']) ||
      (isObject(delta) && delta['stop_reason']) ||
      (isObject(response) && body['type'] !== 'response.created' && response['status']);
    if (typeof reason !== 'string' || reason === 'in_progress' || reason === 'queued') return;
    this.finish = reason;
    // A Chat stream may leave `[DONE]` out.
    if (isObject(choice)) this.ended = true;
  }
}

const FINISHES = /"(?:finish_reason|stop_reason|error|type":\s*"(?:message_stop|error|response\.\w+))"/;

/** A Chat chunk that only names the role is none yet. */
function hasContent(body: JsonObject): boolean {
  const { choices } = body;
  if (!Array.isArray(choices)) return true;
  return choices.some((choice) => {
    if (!isObject(choice)) return true;
    const { delta, finish_reason } = choice;
    if (typeof finish_reason === 'string') return true;
    if (!isObject(delta)) return true;
    return Object.entries(delta).some(([name, value]) => name !== 'role' && value !== '' && value !== null);
  });
}

function parsed(data: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(data);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
