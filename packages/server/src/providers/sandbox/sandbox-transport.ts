import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { tryParseJson } from '@floe/wire/json-narrowing';
import type { Clock } from '../../core/clock.ts';
import type {
  FlowControl,
  UpstreamRequest,
  UpstreamResponseHandler,
  UpstreamTransport,
} from '../transport.ts';
import { sandbox } from './sandbox-definition.ts';
import {
  buildSandboxResponse,
  parseRequestedFailure,
  type SandboxFailure,
  type SandboxResponse,
} from './sandbox-response.ts';

const SLOW_WORD_MS = 1000;

/**
 * Creates a transport that responds within this process, without a socket. Its responses contain the bytes
 * that a real provider would send.
 */
export function createSandboxTransport(clock: Clock): UpstreamTransport {
  return {
    dispatch(request, handler) {
      const player = new ResponsePlayer(handler, clock);
      queueMicrotask(() => {
        try {
          respond(request, player);
        } catch (error) {
          player.fail(error instanceof Error ? error : new Error(String(error)));
        }
      });
      return () => player.stop();
    },
    close: () => Promise.resolve(),
  };
}

function respond(request: UpstreamRequest, player: ResponsePlayer): void {
  if (request.method === 'GET' && request.path.endsWith('/models')) return player.json(200, modelList());
  if (request.body !== null && !Buffer.isBuffer(request.body)) {
    request.body.destroy();
    return player.json(400, errorBody(400, 'the sandbox does not accept uploads'));
  }
  const body = tryParseJson(request.body?.toString('utf8') ?? 'null');
  if (!isJsonObject(body) || typeof body.model !== 'string')
    return player.json(400, errorBody(400, 'model is required'));
  if (!sandbox.knownModels?.includes(body.model))
    return player.json(404, errorBody(404, `the sandbox has no model "${body.model}"`));
  const failure = body.model === 'flaky' ? parseRequestedFailure(body) : undefined;
  if (failure?.type === 'silence') return;
  if (failure?.type === 'status')
    return player.json(
      failure.status,
      errorBody(failure.status, 'the sandbox returned this error as requested'),
      failure.status === 429 ? { 'retry-after': '1' } : {},
    );
  const answer = buildSandboxResponse(body.model, body);
  if (body.stream === true)
    player.stream(streamFrames(body, answer, failure), failure, body.model === 'slow' ? SLOW_WORD_MS : 0);
  else player.json(200, chatCompletion(body.model, answer, failure));
}

function modelList(): JsonObject {
  const data = (sandbox.knownModels ?? []).map((id) => ({
    id,
    object: 'model',
    created: 0,
    owned_by: 'floe',
  }));
  return { object: 'list', data };
}

function errorBody(status: number, message: string): JsonObject {
  return { error: { message, type: 'sandbox_error', param: null, code: `sandbox_${status}` } };
}

function usageJson(answer: SandboxResponse): JsonObject {
  const { inputTokens, outputTokens } = answer;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}

function toolCalls(answer: SandboxResponse, indexed: boolean): JsonObject {
  if (answer.calls.length === 0) return {};
  return {
    tool_calls: answer.calls.map((call, index) => ({
      ...(indexed ? { index } : {}),
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    })),
  };
}

function chatCompletion(
  model: string,
  answer: SandboxResponse,
  failure: SandboxFailure | undefined,
): JsonObject {
  const message = {
    role: 'assistant',
    content: answer.calls.length > 0 ? null : answer.words.join(''),
    ...toolCalls(answer, false),
  };
  const finish = failure?.type === 'no-finish' ? null : finishReason(answer);
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }];
  return {
    id: 'chatcmpl-sandbox',
    object: 'chat.completion',
    created: 0,
    model,
    choices,
    usage: usageJson(answer),
  };
}

function finishReason(answer: SandboxResponse): string {
  return answer.calls.length > 0 ? 'tool_calls' : 'stop';
}

/** Returns the stream with one frame per word, in the order of a Chat provider. */
function streamFrames(
  body: JsonObject,
  answer: SandboxResponse,
  failure: SandboxFailure | undefined,
): string[] {
  const base = { id: 'chatcmpl-sandbox', object: 'chat.completion.chunk', created: 0, model: body.model };
  const frame = (delta: JsonObject, finish: string | null = null) =>
    `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] })}\n\n`;
  const list = [frame({ role: 'assistant', content: answer.calls.length > 0 ? null : '' })];
  for (const word of answer.words) list.push(frame({ content: word }));
  if (answer.calls.length > 0) list.push(frame(toolCalls(answer, true)));
  if (failure?.type === 'cut') return list.slice(0, Math.max(2, Math.ceil(list.length / 2)));
  if (failure?.type === 'malformed') return [...list.slice(0, 2), 'data: {"choices":[{"delta":\n\n'];
  if (failure?.type !== 'no-finish') list.push(frame({}, finishReason(answer)));
  const asked = isJsonObject(body.stream_options) && body.stream_options.include_usage === true;
  if (asked) list.push(`data: ${JSON.stringify({ ...base, choices: [], usage: usageJson(answer) })}\n\n`);
  list.push('data: [DONE]\n\n');
  return list;
}

/**
 * Sends a response to its handler with pauses between chunks. It can be paused, and sends nothing after it is
 * stopped.
 */
class ResponsePlayer implements FlowControl {
  #handler: UpstreamResponseHandler;
  #clock: Clock;
  #stopped = false;
  #paused = false;
  #waiting: (() => void) | null = null;

  constructor(handler: UpstreamResponseHandler, clock: Clock) {
    this.#handler = handler;
    this.#clock = clock;
  }

  stop(): void {
    this.#stopped = true;
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    const next = this.#waiting;
    this.#waiting = null;
    next?.();
  }

  json(status: number, body: JsonObject, headers: Record<string, string> = {}): void {
    if (this.#stopped) return;
    this.#handler.onConnected();
    this.#handler.onHead(status, { 'content-type': 'application/json', ...headers }, this);
    this.#play([JSON.stringify(body)], undefined, 0);
  }

  fail(error: Error): void {
    if (!this.#stopped) this.#handler.onError(error);
  }

  stream(list: readonly string[], failure: SandboxFailure | undefined, pauseMs: number): void {
    if (this.#stopped) return;
    this.#handler.onConnected();
    this.#handler.onHead(200, { 'content-type': 'text/event-stream' }, this);
    this.#play(list, failure, pauseMs);
  }

  #play(list: readonly string[], failure: SandboxFailure | undefined, pauseMs: number): void {
    const step = (index: number): void => {
      if (this.#stopped) return;
      if (this.#paused) {
        this.#waiting = () => step(index);
        return;
      }
      const piece = list[index];
      if (piece !== undefined) {
        this.#handler.onData(Buffer.from(piece));
        if (pauseMs > 0) this.#clock.after(pauseMs, () => step(index + 1));
        else setImmediate(() => step(index + 1));
      } else if (failure?.type === 'cut')
        this.#handler.onError(new Error('the sandbox closed the connection as requested'));
      else this.#handler.onEnd();
    };
    step(0);
  }
}
