import { Buffer } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import { BlockEmitter } from '../block-emitter.ts';
import { type CanonicalResponse, ResponseAccumulator } from '../canonical-response.ts';
import type { ResponseReadOptions, ResponseStreamReader } from '../dialect.ts';
import { mergeFinishReason, type ResponseFinish, readRawFinishReason } from '../finish-reason.ts';
import {
  asNumber,
  asObject,
  asString,
  isJsonArray,
  isJsonObject,
  isNonEmpty,
  tryParseJson,
} from '../json-narrowing.ts';
import type { EmitResponseEvent, Seal } from '../response-events.ts';
import { RESPONSE_SHAPES } from '../response-members.ts';
import type { SseEvent } from '../sse.ts';
import { generateCallId } from '../tool-identifiers.ts';
import { readConverseUsage } from './usage.ts';

/**
 * Creates a reader for a ConverseStream response. `AwsEventStreamTranscoder` must already have
 * converted its binary frames.
 */
export function createResponseReader(
  emit: EmitResponseEvent,
  options: ResponseReadOptions,
): ResponseStreamReader {
  return new ConverseAnswerReader(emit, options);
}

/** Reads a complete Converse response, or an error body. */
export function readCompleteResponse(body: Json, options: ResponseReadOptions): CanonicalResponse {
  const fold = new ResponseAccumulator();
  new ConverseAnswerReader((event) => fold.add(event), options).whole(body);
  return fold.answer;
}

interface OpenBlock {
  readonly block: number;
  readonly kind: 'text' | 'reasoning' | 'tool';
  /** The parts of the signature, or of the redacted content. */
  readonly seal: string[];
  redacted: boolean;
}

class ConverseAnswerReader implements ResponseStreamReader {
  readonly #blocks: BlockEmitter;
  readonly #options: ResponseReadOptions;
  /** Open blocks by index. `undefined` marks a block that is not forwarded. */
  readonly #open = new Map<number, OpenBlock | undefined>();
  #stop: ResponseFinish | undefined;

  constructor(emit: EmitResponseEvent, options: ResponseReadOptions) {
    this.#blocks = new BlockEmitter(emit);
    this.#options = options;
  }

  read(frame: SseEvent): void {
    if (this.#blocks.ended || frame.data === '') return;
    const data = tryParseJson(frame.data);
    if (!isJsonObject(data)) {
      this.#blocks.failUnreadable(frame);
      return;
    }
    this.#blocks.reportUnknownMembers(data, RESPONSE_SHAPES.converse.event);
    const index = asNumber(data['contentBlockIndex']) ?? 0;
    switch (frame.event) {
      case 'messageStart':
        this.#blocks.start('', '');
        return;
      case 'contentBlockStart':
        this.#blockStart(index, asObject(data['start']) ?? {});
        return;
      case 'contentBlockDelta':
        this.#blockDelta(index, asObject(data['delta']) ?? {});
        return;
      case 'contentBlockStop':
        this.#blockStop(index);
        return;
      case 'messageStop':
        this.#stop = mergeFinishReason(this.#stop, readRawFinishReason(data['stopReason']));
        return;
      case 'metadata':
        this.#blocks.recordUsage(readConverseUsage(asObject(data['usage']) ?? {}, data['serviceTier']));
        // The metadata event is the last one. Before the stop event it only contains usage.
        if (this.#stop !== undefined) this.end();
        return;
      default:
        if (isNonEmpty(data['error'])) this.#blocks.failWithUpstreamError(data);
    }
  }

  end(): void {
    if (this.#blocks.ended) return;
    if (this.#stop === undefined) {
      this.#blocks.failIncomplete();
      return;
    }
    for (const index of [...this.#open.keys()]) this.#blockStop(index);
    this.#blocks.finish(this.#stop.raw);
  }

  whole(body: Json): void {
    const root = asObject(body) ?? {};
    const content = asObject(asObject(root['output'])?.['message'])?.['content'];
    if (!isJsonArray(content)) {
      if (isNonEmpty(root['message']) || isNonEmpty(root['error'])) this.#blocks.failWithUpstreamError(root);
      else
        this.#blocks.fail(
          new Fault(
            'upstream_error',
            'The provider sent a response without content. Send the request again.',
          ),
        );
      return;
    }
    this.#blocks.start('', '');
    this.#blocks.reportUnknownMembers(root, RESPONSE_SHAPES.converse.root);
    content.forEach((entry, index) => {
      this.#wholeBlock(index, asObject(entry) ?? {});
      this.#blockStop(index);
    });
    this.#blocks.recordUsage(readConverseUsage(asObject(root['usage']) ?? {}, root['serviceTier']));
    this.#stop = mergeFinishReason(this.#stop, readRawFinishReason(root['stopReason']));
    this.end();
  }

  #wholeBlock(index: number, content: JsonObject): void {
    const call = asObject(content['toolUse']);
    if (isNonEmpty(call)) {
      this.#blockStart(index, content);
      this.#text(index, 'tool', JSON.stringify(call['input'] ?? {}));
      return;
    }
    const reasoning = asObject(content['reasoningContent']);
    const cited = asObject(content['citationsContent']);
    if (isNonEmpty(reasoning)) {
      this.#blockDelta(index, {
        reasoningContent: { ...reasoning, ...asObject(reasoning['reasoningText']) },
      });
    } else if (isNonEmpty(cited)) {
      this.#blocks.reportDropped('citations');
      for (const part of isJsonArray(cited['content']) ? cited['content'] : [])
        this.#text(index, 'text', asString(asObject(part)?.['text']) ?? '');
    } else this.#blockDelta(index, content);
  }

  #blockStart(index: number, start: JsonObject): void {
    this.#blockStop(index);
    const call = asObject(start['toolUse']);
    const name = asString(call?.['name']);
    if (call === undefined || name === undefined || name === '' || call['type'] === 'server_tool_use') {
      // Text blocks have no start event.
      const what = isNonEmpty(call)
        ? name
          ? 'server_tool_use'
          : 'toolUse.nameless'
        : firstNonEmptyMember(start);
      if (what !== undefined) this.#hide(index, what);
      return;
    }
    const id = asString(call['toolUseId']) || generateCallId(this.#options.id, index);
    this.#add(index, 'tool', id, name);
  }

  #hide(index: number, what: string): void {
    this.#blocks.reportLostContent(what);
    this.#open.set(index, undefined);
  }

  #add(index: number, kind: OpenBlock['kind'], id?: string, name?: string): OpenBlock {
    const open = { block: this.#blocks.open(kind, id, name), kind, seal: [], redacted: false };
    this.#open.set(index, open);
    return open;
  }

  #text(index: number, kind: OpenBlock['kind'], text: string): void {
    if (text === '') return;
    const open = this.#blockOf(index, kind);
    if (open) this.#blocks.delta(open.block, text);
  }

  /**
   * Returns the open block of this kind, and closes a block of another kind at the same index. Only calls
   * have a start event.
   */
  #blockOf(index: number, kind: OpenBlock['kind']): OpenBlock | undefined {
    const open = this.#open.get(index);
    const isHidden = open === undefined && this.#open.has(index);
    if (isHidden || open?.kind === kind) return open;
    if (kind === 'tool') {
      this.#blocks.reportLostContent('toolUse.nameless');
      return undefined;
    }
    this.#blockStop(index);
    return this.#add(index, kind);
  }

  #blockDelta(index: number, delta: JsonObject): void {
    const call = asObject(delta['toolUse']);
    const reasoning = asObject(delta['reasoningContent']);
    const text = asString(delta['text']);
    if (text) this.#text(index, 'text', text);
    else if (isNonEmpty(call)) this.#text(index, 'tool', asString(call['input']) ?? '');
    else if (isNonEmpty(reasoning)) this.#reasoning(index, reasoning);
    else {
      const what = firstNonEmptyMember(delta);
      if (what === 'citation') this.#blocks.reportDropped('citations');
      else if (what !== undefined) this.#blocks.reportLostContent(what);
    }
  }

  #reasoning(index: number, reasoning: JsonObject): void {
    this.#text(index, 'reasoning', asString(reasoning['text']) ?? '');
    const redacted = asString(reasoning['redactedContent']) || undefined;
    const proof = redacted ?? asString(reasoning['signature']);
    if (proof === undefined || proof === '') return;
    const open = this.#blockOf(index, 'reasoning');
    if (open === undefined) return;
    open.seal.push(proof);
    open.redacted = redacted !== undefined;
  }

  #blockStop(index: number): void {
    const open = this.#open.get(index);
    this.#open.delete(index);
    if (open) this.#blocks.close(open.block, this.#seal(open));
  }

  #seal({ seal, redacted }: OpenBlock): Seal | undefined {
    if (seal.length === 0) return undefined;
    const origin = this.#options.sealOrigin;
    const value = redacted ? joinBase64(seal) : seal.join('');
    return { dialect: 'converse', value, redacted: redacted ? true : undefined, origin };
  }
}

/** Each event has its own base64 value, which may end with padding. */
function joinBase64(parts: readonly string[]): string {
  const [first = ''] = parts;
  if (parts.length === 1) return first;
  return Buffer.concat(parts.map((part) => Buffer.from(part, 'base64'))).toString('base64');
}

/** Returns the first member that is not empty. Other members can be present but empty. */
function firstNonEmptyMember(value: JsonObject): string | undefined {
  return Object.keys(value).find((name) => isNonEmpty(value[name]));
}
