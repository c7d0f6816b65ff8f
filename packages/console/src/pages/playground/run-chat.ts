import { type ApiError, readApiError, unreachableError } from '../../data/api-error.ts';
import { apiUrl } from '../../data/base.ts';
import { type Prompt, requestBody } from './chat-request.ts';
import { type ChatAnswer, EventCutter, NO_ANSWER, withEvent } from './chat-stream.ts';

export interface Run {
  readonly phase: 'running' | 'done' | 'stopped' | 'failed';
  readonly model: string;
  readonly answer: ChatAnswer;
  readonly requestId: string | null;
  /** Milliseconds from the click, as this browser saw them. */
  readonly firstMs: number | null;
  readonly totalMs: number | null;
  readonly error: ApiError | null;
}

export const begun = (model: string): Run => ({
  phase: 'running',
  model,
  answer: NO_ANSWER,
  requestId: null,
  firstMs: null,
  totalMs: null,
  error: null,
});

/** Asks the gateway as every client would, and tells how it goes until it is over. Aborting cancels the upstream too. */
export async function runChat(options: {
  readonly prompt: Prompt;
  readonly model: string;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly tell: (run: Run) => void;
}): Promise<Run> {
  const { model, signal, tell } = options;
  const start = performance.now();
  let run = begun(model);
  const turn = (changes: Partial<Run>) => {
    run = { ...run, ...changes };
    tell(run);
  };
  const over = (phase: Run['phase'], error: ApiError | null = null) =>
    turn({ phase, error, totalMs: performance.now() - start });
  try {
    const answer = await ask(options);
    turn({ requestId: answer.headers.get('x-request-id') });
    if (!answer.ok) {
      over('failed', readApiError(answer.status, answer.headers, await answer.text()));
      return run;
    }
    const cutter = new EventCutter();
    const decoder = new TextDecoder();
    const reader = answer.body?.getReader();
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      const events = cutter.push(decoder.decode(piece.value, { stream: true }));
      const next = events.reduce(withEvent, run.answer);
      const begins = run.firstMs === null && (next.text || next.reasoning || next.calls.length > 0);
      turn({ answer: next, ...(begins ? { firstMs: performance.now() - start } : {}) });
    }
    over(run.answer.failure ? 'failed' : 'done');
  } catch {
    over(signal.aborted ? 'stopped' : 'failed', signal.aborted ? null : unreachableError());
  }
  return run;
}

function ask({
  prompt,
  model,
  key,
  signal,
}: {
  readonly prompt: Prompt;
  readonly model: string;
  readonly key: string;
  readonly signal: AbortSignal;
}): Promise<Response> {
  return fetch(apiUrl('gateway/v1/chat/completions'), {
    method: 'POST',
    signal,
    // The key alone says who asks: the console's cookie has no say at the gateway.
    credentials: 'omit',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-floe-metadata': '{"source":"playground"}',
    },
    body: JSON.stringify({
      ...requestBody(prompt, model),
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
}
