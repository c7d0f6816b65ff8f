import { Buffer } from 'node:buffer';
import type { JsonObject } from '@floe/contract/json';
import { adaptResponseForClient, createEventAdapter, encodeSealForClient } from '../adapt-for-client.ts';
import type { CanonicalResponse, ResponseBlock } from '../canonical-response.ts';
import { toAnthropicErrorEvent } from '../client-fault.ts';
import type { ResponseStreamWriter, ResponseWriteContext } from '../dialect.ts';
import { EmbeddedJsonParser } from '../embedded-json.ts';
import type { ResponseFinish } from '../finish-reason.ts';
import type {
  BlockKind,
  BlockOpenEvent,
  EmitResponseEvent,
  ResponseEvent,
  Seal,
} from '../response-events.ts';
import type { Usage } from '../usage.ts';
import { writeMessagesUsage } from './usage.ts';

/** Creates a writer for a Messages stream. */
export function createResponseWriter(context: ResponseWriteContext): ResponseStreamWriter {
  return new MessagesAnswerWriter(context);
}

/** Writes a complete Messages response. @throws Fault if the response ended with an error */
export function writeCompleteResponse(
  answer: CanonicalResponse,
  context: ResponseWriteContext,
): { readonly body: JsonObject; readonly dropped: ReadonlySet<string> } {
  const { blocks, usage, finish, dropped: lost } = adaptResponseForClient(answer, context.request);
  const dropped = new Set(lost);
  const writer = { context, dropped, embedded: new EmbeddedJsonParser('upstream_error') };
  const refused = blocks.some((block) => block.kind === 'refusal');
  const contentBytes = blocks.reduce((sum, block) => sum + countBlockBytes(block), 0);
  const body = {
    ...createMessageObject(context),
    content: blocks.flatMap((block) => writeBlock(block, writer)),
    stop_reason: stopReason(finish, refused),
    usage: writeMessagesUsage(usage, { input: context.inputEstimate, contentBytes }),
  };
  return { body, dropped };
}

function countBlockBytes({
  text,
  name = '',
}: {
  readonly text: string;
  readonly name?: string | undefined;
}): number {
  return Buffer.byteLength(text) + Buffer.byteLength(name);
}

function createMessageObject(context: ResponseWriteContext): JsonObject {
  return {
    id: `msg_${context.id}`,
    type: 'message',
    role: 'assistant',
    model: context.request.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

/** Returns the provider's value if it is one of this dialect. A refusal text results in `refusal`. */
function stopReason(finish: ResponseFinish | undefined, refused: boolean): string {
  switch (finish?.reason) {
    case 'length':
      return finish.raw === 'model_context_window_exceeded' ? finish.raw : 'max_tokens';
    case 'tool':
      return 'tool_use';
    case 'refusal':
      return 'refusal';
    case 'other':
      return finish.raw === 'pause_turn' ? finish.raw : 'max_tokens';
    default:
      if (refused) return 'refusal';
      return finish?.raw === 'stop_sequence' ? finish.raw : 'end_turn';
  }
}

interface BlockWriter {
  readonly context: ResponseWriteContext;
  readonly dropped: Set<string>;
  readonly embedded: EmbeddedJsonParser;
}

function writeBlock(block: ResponseBlock, { context, dropped, embedded }: BlockWriter): JsonObject[] {
  switch (block.kind) {
    case 'tool':
      return [
        {
          type: 'tool_use',
          id: block.id,
          name: block.name,
          input: block.text === '' ? {} : embedded.parseArguments(block.text, dropped),
        },
      ];
    case 'reasoning': {
      const signature = encodeSealForClient(block.seal, 'messages', context, dropped);
      if (block.text === '' && signature === undefined) return [];
      if (isRedacted(block.seal)) return [{ type: 'redacted_thinking', data: signature }];
      return [{ type: 'thinking', thinking: block.text, signature: signature ?? '' }];
    }
    default:
      return block.text === '' ? [] : [{ type: 'text', text: block.text, citations: null }];
  }
}

function isRedacted(seal: Seal | undefined): boolean {
  return seal?.dialect === 'messages' && seal.redacted === true;
}

class MessagesAnswerWriter implements ResponseStreamWriter {
  readonly dropped = new Set<string>();
  readonly #context: ResponseWriteContext;
  readonly #stage: EmitResponseEvent;
  #out = '';
  #usage: Usage | undefined;
  #contentBytes = 0;
  #open: BlockOpenEvent | undefined;
  /** Start of the delta events of the open block; '' until the block's start event has been written. */
  #deltaHead = '';
  #index = -1;
  #refused = false;
  #started = false;

  constructor(context: ResponseWriteContext) {
    this.#context = context;
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
        this.#open = event;
        this.#deltaHead = '';
        if (event.kind === 'refusal') this.#refused = true;
        this.#contentBytes += countBlockBytes({ text: '', name: event.name });
        if (event.kind === 'tool')
          this.#announce({ type: 'tool_use', id: event.id, name: event.name, input: {} });
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
        this.#finish(event);
        return;
      case 'error':
        this.#frame('error', toAnthropicErrorEvent(event.fault, this.#context.requestId));
        return;
      case 'dropped':
        this.dropped.add(event.field);
    }
  }

  #frame(type: string, data: JsonObject): void {
    this.#out += `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  }

  /**
   * Input tokens are known only at the end. The start event has an estimate, for clients that show them
   * early.
   */
  #start(): void {
    if (this.#started) return;
    this.#started = true;
    const usage = writeMessagesUsage(undefined, { input: this.#context.inputEstimate });
    this.#frame('message_start', {
      type: 'message_start',
      message: { ...createMessageObject(this.#context), usage },
    });
    this.#frame('ping', { type: 'ping' });
  }

  #announce(content: JsonObject): void {
    this.#start();
    const index = ++this.#index;
    this.#deltaHead = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":`;
    this.#frame('content_block_start', { type: 'content_block_start', index, content_block: content });
  }

  #delta(text: string): void {
    const kind = this.#open?.kind;
    if (kind === undefined) return;
    if (this.#deltaHead === '') this.#announce(emptyBlock(kind));
    this.#contentBytes += Buffer.byteLength(text);
    this.#out += this.#deltaHead + DELTA_PREFIX[kind] + JSON.stringify(text) + '}}\n\n';
  }

  #close(seal: Seal | undefined): void {
    const signature = encodeSealForClient(seal, 'messages', this.#context, this.dropped);
    if (signature !== undefined && isRedacted(seal) && this.#deltaHead === '')
      this.#announce({ type: 'redacted_thinking', data: signature });
    else if (signature !== undefined) {
      if (this.#deltaHead === '') this.#announce(emptyBlock('reasoning'));
      this.#out += `${this.#deltaHead}{"type":"signature_delta","signature":${JSON.stringify(signature)}}}\n\n`;
    }
    this.#open = undefined;
    if (this.#deltaHead === '') return;
    this.#deltaHead = '';
    this.#frame('content_block_stop', { type: 'content_block_stop', index: this.#index });
  }

  #finish(finish: ResponseFinish): void {
    this.#start();
    const delta = { stop_reason: stopReason(finish, this.#refused), stop_sequence: null };
    const estimate = { input: this.#context.inputEstimate, contentBytes: this.#contentBytes };
    const usage = writeMessagesUsage(this.#usage, estimate);
    this.#frame('message_delta', { type: 'message_delta', delta, usage });
    this.#frame('message_stop', { type: 'message_stop' });
  }
}

const DELTA_PREFIX: Readonly<Record<BlockKind, string>> = {
  text: '{"type":"text_delta","text":',
  refusal: '{"type":"text_delta","text":',
  reasoning: '{"type":"thinking_delta","thinking":',
  tool: '{"type":"input_json_delta","partial_json":',
};

function emptyBlock(kind: BlockKind): JsonObject {
  return kind === 'reasoning'
    ? { type: 'thinking', thinking: '', signature: '' }
    : { type: 'text', text: '', citations: null };
}
