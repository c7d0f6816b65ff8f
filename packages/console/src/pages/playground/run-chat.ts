import { ApiError, createUnreachableError, parseApiError } from '../../data/api-error.ts';
import { buildApiUrl } from '../../data/base-url.ts';
import { type PlaygroundPrompt, toChatRequestBody } from './chat-request.ts';
import {
  applyChatEvent,
  EMPTY_CHAT_RESPONSE,
  type PartialChatResponse,
  SseDataParser,
} from './chat-stream.ts';
import { playgroundText } from './text.ts';

/** The state of sending a prompt to one model. */
export interface ChatRun {
  readonly phase: 'running' | 'done' | 'stopped' | 'failed';
  readonly model: string;
  readonly answer: PartialChatResponse;
  readonly requestId: string | null;
  /**
   * Time to first token in milliseconds since the click, measured in this browser. Null before the first
   * token.
   */
  readonly firstMs: number | null;
  readonly totalMs: number | null;
  readonly error: ApiError | null;
}

/** Returns the initial state of sending a prompt to a model. */
export const createChatRun = (model: string): ChatRun => ({
  phase: 'running',
  model,
  answer: EMPTY_CHAT_RESPONSE,
  requestId: null,
  firstMs: null,
  totalMs: null,
  error: null,
});

/**
 * Sends a prompt to the gateway. Calls `report` whenever the state changes, and resolves to the last state.
 * Never rejects: errors are part of the state. Aborting also cancels the request to the provider.
 */
export async function runChat(options: {
  readonly prompt: PlaygroundPrompt;
  readonly model: string;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly report: (run: ChatRun) => void;
}): Promise<ChatRun> {
  const { model, signal, report } = options;
  const start = performance.now();
  let run = createChatRun(model);
  const turn = (changes: Partial<ChatRun>) => {
    run = { ...run, ...changes };
    report(run);
  };
  const finish = (phase: ChatRun['phase'], error: ApiError | null = null) =>
    turn({ phase, error, totalMs: performance.now() - start });
  try {
    const answer = await sendChatRequest(options);
    turn({ requestId: answer.headers.get('x-request-id') });
    if (!answer.ok) {
      finish('failed', parseApiError(answer.status, answer.headers, await answer.text()));
      return run;
    }
    const cutter = new SseDataParser();
    const decoder = new TextDecoder();
    const reader = answer.body?.getReader();
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      const events = cutter.push(decoder.decode(piece.value, { stream: true }));
      const next = events.reduce(applyChatEvent, run.answer);
      const begins = run.firstMs === null && (next.text || next.reasoning || next.calls.length > 0);
      turn({ answer: next, ...(begins ? { firstMs: performance.now() - start } : {}) });
    }
    if (run.answer.failure) finish('failed');
    else if (run.answer.isComplete) finish('done');
    else finish('failed', createCutOffError());
  } catch {
    finish(signal.aborted ? 'stopped' : 'failed', signal.aborted ? null : createUnreachableError());
  }
  return run;
}

function createCutOffError(): ApiError {
  return new ApiError({ status: 0, code: 'network', message: playgroundText.answer.cutOff });
}

function sendChatRequest({
  prompt,
  model,
  key,
  signal,
}: {
  readonly prompt: PlaygroundPrompt;
  readonly model: string;
  readonly key: string;
  readonly signal: AbortSignal;
}): Promise<Response> {
  return fetch(buildApiUrl('gateway/v1/chat/completions'), {
    method: 'POST',
    signal,
    // Only the key authenticates the request. The gateway ignores the console’s cookie.
    credentials: 'omit',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-floe-metadata': '{"source":"playground"}',
    },
    body: JSON.stringify({
      ...toChatRequestBody(prompt, model),
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
}
