import { Fault } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import { type FinishReason, isCompleteFinish, parseFinishReason } from './finish-reason.ts';
import { JsonEndFinder } from './json-end-finder.ts';
import {
  asObject,
  asString,
  isJsonArray,
  isJsonObject,
  isNonEmpty,
  sanitizeFieldName,
} from './json-narrowing.ts';
import type { BlockKind, EmitResponseEvent, Seal } from './response-events.ts';
import { RESPONSE_SHAPES, type ResponseShape } from './response-members.ts';
import type { SseEvent } from './sse.ts';
import { createErrorEventFault, toClientFault, toUpstreamFault } from './upstream-fault.ts';
import { mergeUsage, type Usage } from './usage.ts';

/** Finish reasons that report a failure. Clients receive them as an error. */
const FAILURE_REASON =
  /^(error|timeout|abort(ed)?|insufficient_system_resource|network_error|malformed_\w+|unexpected_tool_call|too_many_tool_calls|(image_)?other|no_image)$/i;

const MAX_INSPECTED_DEPTH = 8;
/** Maximum number of reported names, because a response can contain any number of unknown members. */
const MAX_DROPPED_FIELDS = 100;
/** Maximum length of the data that a reader keeps in memory, in characters. A stream has no maximum size. */
const MAX_KEPT_LENGTH = 64 * 1024 * 1024;
/** Length that is counted for each output item or content block, in addition to its content. */
const ENTRY_LENGTH = 1000;

/** Returns whether a value contains anything but null, false and empty values. */
function hasInformation(value: Json | undefined, depth = 0): boolean {
  if (!isNonEmpty(value) || value === false) return false;
  const isList = isJsonArray(value);
  if ((!isList && !isJsonObject(value)) || depth === MAX_INSPECTED_DEPTH) return true;
  return (isList ? value : Object.values(value)).some((inner) => hasInformation(inner, depth + 1));
}

/**
 * Emits the events that all response readers have in common. Numbers blocks, keeps at most one text
 * block open, and reports each dropped field once. Ends the response exactly once.
 */
export class BlockEmitter {
  readonly #emit: EmitResponseEvent;
  /** The dropped fields that were reported. */
  readonly #reported = new Set<string>();
  readonly #lost = new Set<string>();
  #next = 0;
  #appendText: { readonly block: number; readonly kind: BlockKind } | undefined;
  #recordUsage: Usage | undefined;
  #started = false;
  /** The ends of the arguments of open calls. */
  readonly #argumentEnds = new Map<number, JsonEndFinder>();
  #hasCutOffArguments = false;
  #keptLength = 0;
  /** Number of tool blocks so far. */
  toolCallCount = 0;
  /** Whether `finish` or `error` was emitted. */
  ended = false;

  constructor(emit: EmitResponseEvent) {
    this.#emit = emit;
  }

  start(id: string, model: string): void {
    if (this.#started) return;
    this.#started = true;
    this.#emit({ type: 'start', id, model });
  }

  get openTextKind(): BlockKind | undefined {
    return this.#appendText?.kind;
  }

  /** Appends to the open block of this kind, or opens one. Empty text opens no block. */
  appendText(kind: 'text' | 'refusal' | 'reasoning', text: string): void {
    if (text === '') return;
    if (this.#appendText?.kind !== kind) {
      this.closeText();
      this.#appendText = { block: this.open(kind), kind };
    }
    this.#emit({ type: 'delta', block: this.#appendText.block, text });
  }

  closeText(seal?: Seal): void {
    if (this.#appendText === undefined) return;
    this.#emit({ type: 'close', block: this.#appendText.block, seal });
    this.#appendText = undefined;
  }

  /**
   * Emits an empty reasoning block with a seal, which belongs to the next block or to the end of the turn.
   */
  emitSealedBlock(seal: Seal): void {
    this.closeText();
    this.close(this.open('reasoning'), seal);
  }

  open(kind: BlockKind, id?: string, name?: string, freeform?: true): number {
    const block = this.#next++;
    if (kind === 'tool') this.toolCallCount += 1;
    if (kind === 'tool' && !freeform) this.#argumentEnds.set(block, new JsonEndFinder());
    this.#emit({ type: 'open', block, kind, id, name, freeform });
    return block;
  }

  /** Returns the `JsonEndFinder` that reads the text of an open call. Undefined if the text is not JSON. */
  textEnd(block: number): JsonEndFinder | undefined {
    return this.#argumentEnds.get(block);
  }

  delta(block: number, text: string): void {
    if (text === '') return;
    this.#argumentEnds.get(block)?.push(text);
    this.#emit({ type: 'delta', block, text });
  }

  close(block: number, seal?: Seal): void {
    if (this.#argumentEnds.get(block)?.isCutOff) this.#hasCutOffArguments = true;
    this.#argumentEnds.delete(block);
    this.#emit({ type: 'close', block, seal });
  }

  /** Counts data that a reader of a stream keeps. Ends the response with an error if there is too much data. */
  countKept(length: number): void {
    this.#keptLength += length;
    if (this.#keptLength > MAX_KEPT_LENGTH)
      this.fail(
        new Fault(
          'upstream_error',
          'The provider sent a response with more than 64 MB of text, output items and content blocks. Request less output.',
        ),
      );
  }

  /** Counts an output item or content block that a reader of a stream keeps, and `length` characters of content. */
  countKeptEntry(length: number): void {
    this.countKept(ENTRY_LENGTH + length);
  }

  recordUsage(usage: Usage | undefined): void {
    this.#recordUsage = mergeUsage(this.#recordUsage, usage);
  }

  /** Reports a dropped field. Ignores further fields after `MAX_DROPPED_FIELDS`. */
  reportDropped(given: string): void {
    const field = sanitizeFieldName(given);
    if (this.#reported.size >= MAX_DROPPED_FIELDS || this.#reported.has(field)) return;
    this.#reported.add(field);
    this.#emit({ type: 'dropped', field });
  }

  /**
   * Reports the members of an object, or of the objects in a list, that are not in the shape and contain information.
   * @param type the type of an object without a member `type`, such as the name of an event
   */
  reportUnknownMembers(value: Json | undefined, shape: ResponseShape, type = ''): void {
    if (isJsonArray(value))
      for (const entry of value) if (isJsonObject(entry)) this.reportUnknownMembers(entry, shape);
    if (!isJsonObject(value)) return;
    const { members, prefix = '' } = shape.byType?.get(asString(value['type']) ?? type) ?? shape;
    if (members === undefined) return;
    for (const name in value) {
      const inner = members.get(name);
      if (inner !== undefined) this.reportUnknownMembers(value[name], inner);
      else if (!members.has(name) && !this.#reported.has(prefix + name) && hasInformation(value[name]))
        this.reportDropped(prefix + name);
    }
  }

  /** Reports a content part of an unknown type of which only the text is used: its type and its other members. */
  reportUnknownTextPart(part: JsonObject, name: string): void {
    this.reportDropped(name);
    this.reportUnknownMembers(part, RESPONSE_SHAPES.textPart);
  }

  /** Reports the caller of a tool call, unless it is the model itself. */
  reportCaller(caller: Json | undefined): void {
    if (isNonEmpty(caller) && asObject(caller)?.['type'] !== 'direct') this.reportDropped('caller');
  }

  /**
   * Reports a part of the answer that no dialect can represent, even if `MAX_DROPPED_FIELDS` other fields were reported.
   */
  reportLostContent(given: string): void {
    const field = sanitizeFieldName(given);
    if (this.#lost.size >= MAX_DROPPED_FIELDS || this.#lost.has(field)) return;
    this.#lost.add(field);
    this.#reported.add(field);
    this.#emit({ type: 'dropped', field, isContent: true });
  }

  /**
   * Emits the finish. If a complete response has a call, the reason is `tool`, or `length` if the arguments of a
   * call are cut off: some clients complete such arguments. Any other response keeps its reason, because its calls
   * must not run.
   */
  finish(raw: string, known?: FinishReason): void {
    if (this.ended) return;
    if (known === undefined && FAILURE_REASON.test(raw)) {
      this.fail(
        new Fault(
          'upstream_error',
          `The provider ended the response with the finish reason \`${raw}\`. Send the request again.`,
        ),
      );
      return;
    }
    this.closeText();
    this.#emitUsage();
    this.ended = true;
    const reason = known ?? parseFinishReason(raw).reason;
    this.#emit({ type: 'finish', reason: isCompleteFinish(reason) ? this.#completion() : reason, raw });
  }

  #completion(): FinishReason {
    if (this.#hasCutOffArguments) return 'length';
    return this.toolCallCount > 0 ? 'tool' : 'stop';
  }

  fail(fault: Fault): void {
    if (this.ended) return;
    this.#emitUsage();
    this.ended = true;
    this.#emit({ type: 'error', fault });
  }

  /** Emits an error that the provider sent with status 200. */
  failWithUpstreamError(error: JsonObject): void {
    this.fail(toClientFault(toUpstreamFault(200, error)));
  }

  /** Emits an error because the stream ended or broke before its finish. */
  failIncomplete(
    message = 'The provider closed the stream before the response was complete. Send the request again.',
  ): void {
    this.fail(new Fault('upstream_stream_broken', message));
  }

  /**
   * Ends the response with an error because an event is not a JSON object. Some providers send errors in this form.
   */
  failUnreadable({ event, data }: SseEvent): void {
    const isError = event === 'error' || data.trimStart().startsWith('[');
    if (isError) this.fail(createErrorEventFault(data));
    else
      this.failIncomplete(
        'The provider sent a stream event that is not a JSON object. Send the request again.',
      );
  }

  #emitUsage(): void {
    if (this.#recordUsage !== undefined) this.#emit({ type: 'usage', usage: this.#recordUsage });
  }
}
