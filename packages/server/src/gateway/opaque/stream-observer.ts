import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { type ContentByteCounts, countContentBytes } from '@floe/wire/content-bytes';
import { findUsage } from '@floe/wire/find-usage';
import { mergeFinishReason, type ResponseFinish, readRawFinishReason } from '@floe/wire/finish-reason';
import { locateSseFrameData, type SseFrameData, SseFramer, type SseFrames } from '@floe/wire/sse';
import { mergeUsage, type Usage } from '@floe/wire/usage';
import { findContainerIds } from '../container-ids.ts';

/** Events that announce a response without containing any part of it. */
const ANNOUNCEMENT_EVENTS = new Set([
  'message_start',
  'ping',
  'response.created',
  'response.in_progress',
  'response.queued',
]);
/** Events after which the stream is complete, successful or not. */
const FINAL_EVENTS = new Set([
  'message_stop',
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
  'image_generation.completed',
  'image_edit.completed',
  'transcript.text.done',
  'speech.audio.done',
]);
/** The events of streams on surfaces that can also stream without a final event. */
const TYPE_WITH_FINAL_EVENT = /^(?:image_generation|image_edit|transcript\.text|speech\.audio)\./;
/** Maximum number of finished choices that are counted, because a stream has no maximum size. */
const MAX_COUNTED_CHOICES = 10_000;
const USAGE = '"usage"';
/** The type of an event that is too large to read must be within this number of bytes from its start. */
const MAX_TYPE_BYTES = 4096;
const FIRST_TYPE = /^\s*\{\s*"type"\s*:\s*"([\w.]+)"/;
const BLANK_LINE_END = /(?:\n\r?\n|\r\r)$/;

/**
 * Observes an event stream while it is forwarded unchanged. Records content, errors, the last
 * event, usage, the amount of content, and the ids of a stored response and of containers. Never throws.
 * Unknown events count as content.
 */
export class StreamObserver {
  hasContent = false;
  /** Whether there was an error before any content. */
  failedBeforeContent = false;
  /** Whether there was an error. */
  hasError = false;
  /** Whether the last event has been received. */
  isComplete = false;
  /** Whether the first event shows that the stream has a final event. */
  hasFinalEvent = false;
  /** Whether there was an event that is too large to read, so that later events cannot be read either. */
  isUnreadable = false;
  usage: Usage | undefined;
  responseId: string | null = null;
  /** The id of what the stream creates: a stored response, a thread or a conversation. */
  createdId: string | null = null;
  /** Ids of the containers of a Responses or Messages response. The reader of the ids removes them. */
  readonly containerIds: string[] = [];
  /** UTF-8 bytes of generated content so far, and the number of events with content. */
  contentBytes = 0;
  contentChunks = 0;
  /** For Responses: the response of the start event, and the last event. */
  response: JsonObject | null = null;
  lastData = '';
  #framer = new SseFramer();
  #finish: ResponseFinish | undefined;
  /** Whether the event that is too large to read is the last one, and whether content was received before. */
  #isLastEvent = false;
  #repeatsContent = false;
  /** The last bytes of a stream that is unreadable. */
  #tail = '';
  readonly #choices: number;
  readonly #finishedChoices = new Set<number>();

  /**
   * @param choices the number of choices after which a stream without a final event is complete. With `best_of`, a
   * stream can contain fewer choices. It is then complete only after its final event.
   */
  constructor(choices = 1) {
    this.#choices = Math.min(choices, MAX_COUNTED_CHOICES);
  }

  get finishReason(): string | null {
    return this.#finish?.raw ?? null;
  }

  /** Returns the frames that `chunk` completes; null if frames can no longer be separated. */
  push(chunk: Buffer): SseFrames | null {
    if (this.isUnreadable) {
      this.#inspectUnreadable(chunk);
      return null;
    }
    try {
      const frames = this.#framer.push(chunk);
      let from = frames.lead;
      for (const end of frames.ends) {
        this.#inspectFrame(frames.bytes.subarray(from, end));
        from = end;
      }
      return frames;
    } catch {
      this.#startUnreadable(chunk);
      return null;
    }
  }

  /**
   * Handles a frame that is too large. The client receives its bytes. If it is the last event, such as one that repeats
   * all images of a response, the stream is complete at its end. Otherwise, it is unknown whether the stream is
   * complete.
   */
  #startUnreadable(chunk: Buffer): void {
    const held = this.rest();
    const type = readFrameType(held.length > 0 ? held : chunk);
    this.#isLastEvent = FINAL_EVENTS.has(type);
    this.#repeatsContent = this.#isLastEvent && this.hasContent;
    this.hasError ||= type === 'response.failed';
    this.isUnreadable = true;
    // Gives the incomplete frame back. No further frames are read.
    this.#framer = new SseFramer();
    this.hasContent = true;
    this.#inspectUnreadable(chunk);
  }

  #inspectUnreadable(chunk: Buffer): void {
    if (!this.#repeatsContent) this.contentBytes += chunk.length;
    this.#tail = (this.#tail + chunk.toString('latin1', Math.max(0, chunk.length - 4))).slice(-4);
    if (this.#isLastEvent && BLANK_LINE_END.test(this.#tail)) this.isComplete = true;
  }

  /** Size of the incomplete frame at the end. */
  get restBytes(): number {
    return this.#framer.restBytes;
  }

  /** Returns the incomplete frame at the end. */
  rest(): Buffer {
    return this.#framer.rest();
  }

  #inspectFrame(frame: Buffer): void {
    const found = locateData(frame);
    if (!found) return;
    const data = found.bytes.toString('utf8', found.start, found.end);
    if (data === '[DONE]') {
      this.isComplete = true;
      return;
    }
    this.lastData = data;
    this.#countContent(countContentBytes(found.bytes, found.start, found.end));
    // Most events are deltas. After the first content, only frames that may contain the end or usage are
    // parsed.
    if (this.hasContent && !data.includes(USAGE) && !FINISHES.test(data)) return;
    const body = tryParseObject(data);
    if (!body) this.hasContent = true;
    else this.#readBody(body, found.event);
  }

  /**
   * Counts the content of an event. The last event of some dialects repeats the complete response, which is
   * counted only if there were no deltas.
   */
  #countContent({ added, whole }: ContentByteCounts): void {
    if (added > 0) this.contentChunks += 1;
    this.contentBytes = Math.max(this.contentBytes + added, whole);
  }

  #readBody(body: JsonObject, event: string): void {
    const type = typeof body['type'] === 'string' ? body['type'] : event;
    this.usage = mergeUsage(this.usage, findUsage(body));
    if (!this.hasContent) this.hasFinalEvent = TYPE_WITH_FINAL_EVENT.test(type);
    if (FINAL_EVENTS.has(type)) this.isComplete = true;
    const isError = type === 'error' || isJsonObject(body['error']) || type === 'response.failed';
    if (isError) this.isComplete = this.hasError = true;
    const stored = body['object'] === 'chat.completion.chunk' ? body : body['response'];
    if (isJsonObject(stored) && typeof stored['id'] === 'string') this.responseId ??= stored['id'];
    this.createdId ??= this.responseId ?? findCreatedId(body);
    if (type === 'response.created' && isJsonObject(stored)) this.response = stored;
    if (this.lastData.includes('"container')) this.containerIds.push(...findContainerIds(body));
    this.#recordFinish(body);
    if (this.hasContent || ANNOUNCEMENT_EVENTS.has(type)) return;
    if (isError) this.failedBeforeContent = true;
    else if (bringsContent(body)) this.hasContent = true;
  }

  #recordFinish(body: JsonObject): void {
    const { choices, delta, response } = body;
    if (Array.isArray(choices)) for (const choice of choices) this.#recordChoiceFinish(choice);
    const reason = readRawFinishReason(
      (isJsonObject(delta) && delta['stop_reason']) ||
        (isJsonObject(response) && body['type'] !== 'response.created' && response['status']),
    );
    if (reason === 'in_progress' || reason === 'queued') return;
    this.#finish = mergeFinishReason(this.#finish, reason);
  }

  #recordChoiceFinish(choice: unknown): void {
    if (!isJsonObject(choice)) return;
    const reason = readRawFinishReason(choice['finish_reason']);
    if (reason === undefined) return;
    this.#finish = mergeFinishReason(this.#finish, reason);
    if (this.isComplete) return;
    const { index } = choice;
    this.#finishedChoices.add(typeof index === 'number' ? index : 0);
    // A stream of Chat or text completions may omit `[DONE]`.
    if (this.#finishedChoices.size >= this.#choices) this.isComplete = true;
  }
}

const FINISHES =
  /"(?:finish_reason|stop_reason|error|container_id|type":\s*"(?:message_stop|error|response\.\w+|image_(?:generation|edit)\.completed|transcript\.text\.done|speech\.audio\.done))"/;

/** Returns the id of the thread (OpenAI) or of the conversation (Mistral) that an event announces. */
function findCreatedId({ object, id, conversation_id: conversation }: JsonObject): string | null {
  const created = object === 'thread' ? id : conversation;
  return typeof created === 'string' && created !== '' ? created : null;
}

/** Returns whether a Chat chunk has content. A chunk with only a role has none. */
function bringsContent(body: JsonObject): boolean {
  const { choices } = body;
  if (!Array.isArray(choices)) return true;
  return choices.some((choice) => {
    if (!isJsonObject(choice)) return true;
    const { delta, finish_reason } = choice;
    if (readRawFinishReason(finish_reason) !== undefined) return true;
    if (!isJsonObject(delta)) return true;
    return Object.entries(delta).some(([name, value]) => name !== 'role' && value !== '' && value !== null);
  });
}

/** Locates the data of a frame. Invalid UTF-8 is replaced, because clients also read such a frame. */
function locateData(frame: Buffer): SseFrameData | undefined {
  try {
    return locateSseFrameData(frame);
  } catch {
    return locateSseFrameData(Buffer.from(frame.toString('utf8')));
  }
}

/** Returns the type of an incomplete frame. It is in the event name, or is the first member of the data. */
function readFrameType(frame: Buffer): string {
  const found = locateData(frame.subarray(0, MAX_TYPE_BYTES));
  const data = found ? found.bytes.toString('utf8', found.start, found.end) : '';
  return FIRST_TYPE.exec(data)?.[1] ?? found?.event ?? '';
}

function tryParseObject(data: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(data);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
