import type { JsonObject } from '@floe/contract/json';
import { adaptResponseForClient, createEventAdapter, encodeSealForClient } from '../adapt-for-client.ts';
import { type CanonicalResponse, toResponseEvents } from '../canonical-response.ts';
import { toOpenAiError } from '../client-fault.ts';
import type { ResponseStreamWriter, ResponseWriteContext } from '../dialect.ts';
import type { FinishReason } from '../finish-reason.ts';
import type { NamespacedToolName } from '../request.ts';
import type { BlockOpenEvent, EmitResponseEvent, ResponseEvent, Seal } from '../response-events.ts';
import type { Usage } from '../usage.ts';
import {
  getCallEventPrefix,
  type OpenOutputItem,
  writeOutputPart,
  writeUnfinishedItem,
} from './output-item.ts';
import { createResponseObject, finishResponseObject, INCOMPLETE_REASONS } from './response-object.ts';
import { writeResponsesUsage } from './usage.ts';

/** Creates a writer for a Responses stream. */
export function createResponseWriter(context: ResponseWriteContext): ResponseStreamWriter {
  return new ResponsesAnswerWriter(context);
}

/**
 * Writes a complete Responses response. It has the format of the response in the stream's final event.
 * @throws Fault if the response ended with an error
 */
export function writeCompleteResponse(
  answer: CanonicalResponse,
  context: ResponseWriteContext,
): { readonly body: JsonObject; readonly dropped: ReadonlySet<string> } {
  const writer = new ResponsesAnswerWriter(context);
  for (const event of toResponseEvents(adaptResponseForClient(answer, context.request))) writer.write(event);
  return { body: writer.response, dropped: writer.dropped };
}

class ResponsesAnswerWriter implements ResponseStreamWriter {
  readonly dropped = new Set<string>();
  /** The response object as it was last written. */
  response: JsonObject;
  readonly #context: ResponseWriteContext;
  readonly #stage: EmitResponseEvent;
  readonly #within: ReadonlyMap<string, NamespacedToolName>;
  readonly #output: JsonObject[] = [];
  #out = '';
  #sequence = 0;
  #item: OpenOutputItem | undefined;
  /** A block that is open but empty. */
  #pending: BlockOpenEvent | undefined;
  #usage: Usage | undefined;
  #started = false;

  constructor(context: ResponseWriteContext) {
    this.#context = context;
    this.response = createResponseObject(context);
    this.#within = new Map(
      context.request.tools.flatMap(({ name, within }) => (within ? [[name, within] as const] : [])),
    );
    this.#stage = createEventAdapter(context.request, (event) => this.#write(event));
  }

  write(event: ResponseEvent): string {
    this.#out = '';
    this.#stage(event);
    return this.#out;
  }

  #write(event: ResponseEvent): void {
    switch (event.type) {
      case 'start':
        this.#start();
        return;
      case 'open':
        this.#pending = event;
        if (event.kind === 'tool') this.#openItem('tool', event);
        return;
      case 'delta':
        this.#delta(event.text);
        return;
      case 'close':
        this.#close(event.seal);
        return;
      case 'usage':
        this.#usage = event.usage;
        return;
      case 'finish':
        this.#finish(event.reason);
        return;
      case 'error':
        this.#fail(event);
        return;
      case 'dropped':
        this.dropped.add(event.field);
    }
  }

  #frame(type: string, fields: JsonObject): void {
    const data = JSON.stringify({ type, sequence_number: this.#sequence++, ...fields });
    this.#out += `event: ${type}\ndata: ${data}\n\n`;
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#frame('response.created', { response: this.response });
    this.#frame('response.in_progress', { response: this.response });
  }

  #openItem(kind: OpenOutputItem['kind'], open: BlockOpenEvent): OpenOutputItem {
    this.#start();
    this.#endItem();
    const index = this.#output.length;
    const prefix = kind === 'message' ? 'msg' : kind === 'reasoning' ? 'rs' : open.freeform ? 'ctc' : 'fc';
    const id = `${prefix}_${this.#context.id}_${index}`;
    const item: OpenOutputItem = { index, id, kind, open, parts: [], partKind: undefined, text: '' };
    this.#item = item;
    this.#frame('response.output_item.added', {
      output_index: index,
      item: this.#itemObject(item, 'in_progress'),
    });
    if (kind === 'reasoning')
      this.#frame('response.reasoning_summary_part.added', {
        ...this.#at(item),
        summary_index: 0,
        part: { type: 'summary_text', text: '' },
      });
    return item;
  }

  #at(item: OpenOutputItem): JsonObject {
    return { item_id: item.id, output_index: item.index };
  }

  #delta(text: string): void {
    const open = this.#pending;
    if (open === undefined) return;
    const item = this.#ready(open);
    if (item.kind === 'tool') {
      this.#callDelta(item, text);
      return;
    }
    item.text += text;
    if (item.kind === 'message') {
      const at = { ...this.#at(item), content_index: item.parts.length, delta: text };
      if (open.kind === 'refusal') this.#frame('response.refusal.delta', at);
      else this.#frame('response.output_text.delta', { ...at, logprobs: [] });
    } else
      this.#frame('response.reasoning_summary_text.delta', {
        ...this.#at(item),
        summary_index: 0,
        delta: text,
      });
  }

  #callDelta(item: OpenOutputItem, text: string): void {
    item.text += text;
    this.#frame(`${getCallEventPrefix(item.open)}.delta`, { ...this.#at(item), delta: text });
  }

  /** Returns the item for the text of a block. Text and refusal share a message. */
  #ready(open: BlockOpenEvent): OpenOutputItem {
    const kind = open.kind === 'text' || open.kind === 'refusal' ? 'message' : open.kind;
    const item = this.#item?.kind === kind ? this.#item : this.#openItem(kind, open);
    if (open.kind === 'tool' || open.kind === 'reasoning' || item.partKind === open.kind) return item;
    this.#endPart(item);
    item.partKind = open.kind;
    this.#frame('response.content_part.added', {
      ...this.#at(item),
      content_index: item.parts.length,
      part: writeOutputPart(open.kind, ''),
    });
    return item;
  }

  #close(seal: Seal | undefined): void {
    const open = this.#pending;
    if (open?.kind === 'reasoning') this.#endReasoning(open, seal);
    this.#pending = undefined;
  }

  #endReasoning(open: BlockOpenEvent, seal: Seal | undefined): void {
    const encrypted = encodeSealForClient(seal, 'responses', this.#context, this.dropped);
    if (this.#item?.kind !== 'reasoning') {
      if (encrypted === undefined) return;
      this.#sealedItem(open, encrypted);
      return;
    }
    const item = this.#item;
    const at = { ...this.#at(item), summary_index: 0 };
    this.#frame('response.reasoning_summary_text.done', { ...at, text: item.text });
    const part = { type: 'summary_text', text: item.text };
    this.#frame('response.reasoning_summary_part.done', { ...at, part });
    this.#done(item, {
      ...this.#itemObject(item, 'completed'),
      summary: [part],
      encrypted_content: encrypted,
    });
  }

  #sealedItem(open: BlockOpenEvent, encrypted: string): void {
    this.#start();
    this.#endItem();
    const index = this.#output.length;
    const id = `rs_${this.#context.id}_${index}`;
    const kind = 'reasoning';
    const item: OpenOutputItem = { index, id, kind, open, parts: [], partKind: undefined, text: '' };
    const object = { ...this.#itemObject(item, 'completed'), encrypted_content: encrypted };
    this.#frame('response.output_item.added', { output_index: index, item: object });
    this.#done(item, object);
  }

  #endPart(item: OpenOutputItem): void {
    if (item.partKind === undefined) return;
    const at = { ...this.#at(item), content_index: item.parts.length };
    const part = writeOutputPart(item.partKind, item.text);
    if (item.partKind === 'refusal') this.#frame('response.refusal.done', { ...at, refusal: item.text });
    else this.#frame('response.output_text.done', { ...at, text: item.text, logprobs: [] });
    this.#frame('response.content_part.done', { ...at, part });
    item.parts.push(part);
    item.partKind = undefined;
    item.text = '';
  }

  /**
   * Ends the open item. A call stays open until the next block or the finish, because only the finish tells
   * whether it is complete. Clients run a call as soon as its item is done.
   */
  #endItem(status: 'completed' | 'incomplete' = 'completed'): void {
    const item = this.#item;
    if (item === undefined) return;
    if (item.kind === 'message') this.#endPart(item);
    else if (item.kind === 'tool') this.#endCall(item, status);
    this.#done(item, this.#itemObject(item, status));
  }

  #endCall(item: OpenOutputItem, status: 'completed' | 'incomplete'): void {
    const { open } = item;
    if (item.text === '' && !open.freeform && status === 'completed') this.#callDelta(item, '{}');
    const name = open.name ?? '';
    const whole = open.freeform ? { input: item.text } : { name, arguments: item.text };
    this.#frame(`${getCallEventPrefix(open)}.done`, { ...this.#at(item), ...whole });
  }

  #done(item: OpenOutputItem, object: JsonObject): void {
    this.#item = undefined;
    this.#output.push(object);
    this.#frame('response.output_item.done', { output_index: item.index, item: object });
  }

  #itemObject(item: OpenOutputItem, status: 'in_progress' | 'completed' | 'incomplete'): JsonObject {
    const { id, open } = item;
    if (item.kind === 'message')
      return { id, type: 'message', status, role: 'assistant', content: [...item.parts] };
    if (item.kind === 'reasoning') return { id, type: 'reasoning', summary: [] };
    const within = this.#within.get(open.name ?? '');
    const call = {
      id,
      status,
      call_id: open.id,
      name: within?.name ?? open.name,
      namespace: within?.namespace,
    };
    return open.freeform
      ? { ...call, type: 'custom_tool_call', input: item.text }
      : { ...call, type: 'function_call', arguments: item.text };
  }

  #finish(reason: FinishReason): void {
    this.#start();
    const cut = INCOMPLETE_REASONS[reason];
    this.#endItem(cut === undefined ? 'completed' : 'incomplete');
    this.response = finishResponseObject(this.response, cut, {
      output: this.#output,
      usage: this.#usage,
      nowS: this.#context.nowS(),
    });
    this.#frame(`response.${this.response['status']}`, { response: this.response });
  }

  /** Writes both error events, because some clients support only one of them. */
  #fail(event: Extract<ResponseEvent, { type: 'error' }>): void {
    this.#start();
    const error = toOpenAiError(event.fault);
    const { code, message, param } = error;
    this.#frame('error', { code, message, param, error });
    const item = this.#item;
    const unfinished = item ? [writeUnfinishedItem(item, this.#itemObject(item, 'incomplete'))] : [];
    this.response = {
      ...this.response,
      status: 'failed',
      error: { code, message },
      output: [...this.#output, ...unfinished],
      usage: writeResponsesUsage(this.#usage),
    };
    this.#frame('response.failed', { response: this.response });
  }
}
