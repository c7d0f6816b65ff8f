import type { JsonObject } from '@floe/contract/json';
import { adaptResponseForClient, createEventAdapter } from '../adapt-for-client.ts';
import type { CanonicalResponse, ToolCallBlock } from '../canonical-response.ts';
import { toOpenAiError } from '../client-fault.ts';
import type { ResponseStreamWriter, ResponseWriteContext } from '../dialect.ts';
import type { FinishReason } from '../finish-reason.ts';
import { isNonEmpty } from '../json-narrowing.ts';
import type { BlockOpenEvent, EmitResponseEvent, ResponseEvent } from '../response-events.ts';
import type { Usage } from '../usage.ts';

const FINISH_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  length: 'length',
  tool: 'tool_calls',
  refusal: 'content_filter',
  other: 'length',
};

/**
 * Whether the client sent `functions`, which `tools` replaced. Such a client reads only `function_call`, which
 * contains one call.
 */
function readsFunctionCall({ clientBody = {} }: ResponseWriteContext): boolean {
  return isNonEmpty(clientBody['functions']) && !isNonEmpty(clientBody['tools']);
}

function writeFinishReason(reason: FinishReason, context: ResponseWriteContext): string {
  return reason === 'tool' && readsFunctionCall(context) ? 'function_call' : FINISH_REASONS[reason];
}

/** Creates a writer for Chat Completions chunks. */
export function createResponseWriter(context: ResponseWriteContext): ResponseStreamWriter {
  return new ChatAnswerWriter(context);
}

/** Writes a complete Chat Completions response. @throws Fault if the response ended with an error */
export function writeCompleteResponse(
  answer: CanonicalResponse,
  context: ResponseWriteContext,
): { readonly body: JsonObject; readonly dropped: ReadonlySet<string> } {
  const { blocks, usage, finish, dropped: lost } = adaptResponseForClient(answer, context.request);
  const dropped = new Set(lost);
  const said = (kind: 'text' | 'refusal' | 'reasoning'): string =>
    blocks.map((block) => (block.kind === kind ? block.text : '')).join('');
  const calls = blocks
    .filter((block) => block.kind === 'tool')
    .map((call, at, all) => writeCall(call, finish?.reason === 'tool' || at < all.length - 1, context));
  const refusal = context.refusalAsText === true ? '' : said('refusal');
  const reasoning = said('reasoning');
  const forward = context.chatReasoning === 'forward' && reasoning !== '';
  if (reasoning !== '' && !forward) dropped.add('reasoning');
  if (blocks.some((block) => block.kind === 'reasoning' && block.seal)) dropped.add('reasoning.seal');
  const text = context.refusalAsText === true ? said('text') + said('refusal') : said('text');
  const body = {
    id: `chatcmpl-${context.id}`,
    object: 'chat.completion',
    created: context.createdS,
    model: context.request.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' && (calls.length > 0 || refusal !== '') ? null : text,
          refusal: refusal === '' ? null : refusal,
          annotations: [],
          reasoning_content: forward ? reasoning : undefined,
          ...writeCalls(calls, context, dropped),
        },
        logprobs: null,
        finish_reason: writeFinishReason(finish?.reason ?? 'other', context),
      },
    ],
    usage: writeChatUsage(usage),
    system_fingerprint: null,
  };
  return { body, dropped };
}

function writeCalls(
  calls: readonly JsonObject[],
  context: ResponseWriteContext,
  dropped: Set<string>,
): JsonObject {
  const [first] = calls;
  if (first === undefined) return {};
  if (!readsFunctionCall(context)) return { tool_calls: calls };
  if (calls.length > 1) dropped.add('tool_calls');
  return { function_call: first['function'] };
}

/** Empty arguments of a truncated call stay empty, so that it does not look like a call without arguments. */
function writeCall(call: ToolCallBlock, isComplete: boolean, context: ResponseWriteContext): JsonObject {
  const { id, name } = call;
  if (writesAsCustomTool(call.freeform, context))
    return { id, type: 'custom', custom: { name, input: call.text } };
  return {
    id,
    type: 'function',
    function: { name, arguments: call.text || (isComplete && !call.freeform ? '{}' : '') },
  };
}

function writesAsCustomTool(freeform: boolean | undefined, context: ResponseWriteContext): boolean {
  return freeform === true && context.freeformAsFunction !== true;
}

/** Returns the usage in the Chat Completions format, or undefined if there is none. */
export function writeChatUsage(usage: Usage | undefined): JsonObject | undefined {
  if (usage === undefined) return undefined;
  const { input = 0, cached = 0, cache_write, input_audio } = usage.units;
  const { output = 0, reasoning = 0, output_audio } = usage.units;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      cached_tokens: cached,
      cache_write_tokens: cache_write,
      audio_tokens: input_audio,
    },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: output_audio },
  };
}

class ChatAnswerWriter implements ResponseStreamWriter {
  readonly dropped = new Set<string>();
  readonly #context: ResponseWriteContext;
  readonly #stage: EmitResponseEvent;
  readonly #envelope: string;
  /** The JSON of a chunk up to its delta. */
  readonly #head: string;
  readonly #readsFunctionCall: boolean;
  #out = '';
  #usage: Usage | undefined;
  #open: BlockOpenEvent | undefined;
  /** Whether the last block is a call that has no arguments yet. */
  #isEmptyCall = false;
  #calls = 0;
  #started = false;

  constructor(context: ResponseWriteContext) {
    this.#context = context;
    this.#readsFunctionCall = readsFunctionCall(context);
    const model = JSON.stringify(context.request.model);
    this.#envelope = `data: {"id":"chatcmpl-${context.id}","object":"chat.completion.chunk","created":${context.createdS},"model":${model},"choices":[`;
    this.#head = `${this.#envelope}{"index":0,"delta":`;
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
        this.#completeEmptyCall();
        this.#open = event;
        this.#isEmptyCall = event.kind === 'tool' && !event.freeform;
        if (event.kind === 'tool') this.#announce(event);
        return;
      case 'delta':
        this.#delta(event.text);
        return;
      case 'close':
        if (event.seal) this.dropped.add('reasoning.seal');
        this.#open = undefined;
        return;
      case 'usage':
        this.#usage = event.usage;
        return;
      case 'finish':
        if (event.reason === 'tool') this.#completeEmptyCall();
        this.#finish(writeFinishReason(event.reason, this.#context));
        return;
      case 'error': {
        const error = toOpenAiError(event.fault);
        this.#out += `data: ${JSON.stringify({ error, request_id: this.#context.requestId })}\n\n`;
        return;
      }
      case 'dropped':
        this.dropped.add(event.field);
    }
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#chunk('{"role":"assistant","content":"","refusal":null}');
  }

  #chunk(delta: string): void {
    this.#out += `${this.#head}${delta},"logprobs":null,"finish_reason":null}]}\n\n`;
  }

  /** Call indices have no gaps, regardless of other blocks. */
  #announce(open: BlockOpenEvent): void {
    this.#start();
    const index = this.#calls++;
    const name = open.name ?? '';
    if (this.#readsFunctionCall) {
      if (index > 0) this.dropped.add('tool_calls');
      else this.#chunk(JSON.stringify({ function_call: { name, arguments: '' } }));
      return;
    }
    const call = writesAsCustomTool(open.freeform, this.#context)
      ? { index, id: open.id, type: 'custom', custom: { name, input: '' } }
      : { index, id: open.id, type: 'function', function: { name, arguments: '' } };
    this.#chunk(`{"tool_calls":[${JSON.stringify(call)}]}`);
  }

  #delta(text: string): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#start();
    this.#isEmptyCall = false;
    const json = JSON.stringify(text);
    switch (open.kind) {
      case 'text':
        this.#chunk(`{"content":${json}}`);
        return;
      case 'refusal':
        this.#chunk(`{"${this.#context.refusalAsText === true ? 'content' : 'refusal'}":${json}}`);
        return;
      case 'reasoning':
        if (this.#context.chatReasoning === 'forward') this.#chunk(`{"reasoning_content":${json}}`);
        else this.dropped.add('reasoning');
        return;
      case 'tool':
        this.#callDelta(json, writesAsCustomTool(open.freeform, this.#context));
    }
  }

  #callDelta(json: string, isCustom: boolean): void {
    if (this.#readsFunctionCall) {
      if (this.#calls === 1) this.#chunk(`{"function_call":{"arguments":${json}}}`);
      return;
    }
    const inner = isCustom ? `"custom":{"input":${json}}` : `"function":{"arguments":${json}}`;
    this.#chunk(`{"tool_calls":[{"index":${this.#calls - 1},${inner}}]}`);
  }

  /** A call without arguments is complete only if another block or the finish `tool` follows. */
  #completeEmptyCall(): void {
    if (this.#isEmptyCall) this.#callDelta('"{}"', false);
    this.#isEmptyCall = false;
  }

  #finish(reason: string): void {
    this.#start();
    this.#out += `${this.#head}{},"logprobs":null,"finish_reason":"${reason}"}]}\n\n`;
    if (this.#context.request.streamUsage && this.#usage)
      this.#out += `${this.#envelope}],"usage":${JSON.stringify(writeChatUsage(this.#usage))}}\n\n`;
    this.#out += 'data: [DONE]\n\n';
  }
}
