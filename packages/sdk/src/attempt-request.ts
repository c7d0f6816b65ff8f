import type { BeatRequest } from './beat-request.ts';
import { FloeConnectionError, type FloeError, FloeTimeoutError } from './errors.ts';
import { describeThrownValue } from './metadata.ts';
import { describeUrlOrigin, type ReceivedBeatResponse } from './parse-beat-response.ts';
import type { FetchReader, FetchResponse, Runtime } from './runtime.ts';

/** Maximum length of a response. A response to a beat has 300 bytes. */
const MAX_ANSWER_BYTES = 65_536;

/**
 * Sends one request and reads the response within `timeoutMs`. Resolves to the response or the error and
 * never rejects. If `fetch` ignores its abort signal, this function does not wait for it after the timeout.
 */
export async function attemptRequest(
  call: BeatRequest,
  timeoutMs: number,
  runtime: Runtime,
  stop?: AbortSignal,
): Promise<ReceivedBeatResponse | FloeError> {
  const abort = new AbortController();
  let settle: (outcome: FloeError) => void = () => undefined;
  const timeoutOrStop = new Promise<FloeError>((resolve) => {
    settle = resolve;
  });
  const abortWith = (error: FloeError) => {
    settle(error);
    abort.abort();
  };
  const timer = runtime.after(timeoutMs, () => abortWith(timeoutError(call, timeoutMs)), false);
  const onStop = () =>
    abortWith(
      new FloeConnectionError('the beat loop was stopped before the beat was delivered', {
        code: 'stopped',
      }),
    );
  stop?.addEventListener('abort', onStop, { once: true });
  if (stop?.aborted) onStop();
  try {
    return await Promise.race([timeoutOrStop, fetchAnswer(call, abort.signal, runtime)]);
  } finally {
    timer.cancel();
    stop?.removeEventListener('abort', onStop);
  }
}

async function fetchAnswer(
  call: BeatRequest,
  signal: AbortSignal,
  runtime: Runtime,
): Promise<ReceivedBeatResponse | FloeError> {
  try {
    const init = {
      method: 'POST',
      headers: { ...call.headers },
      body: call.body,
      redirect: 'manual' as const,
      signal,
    };
    return await readFetchResponse(await runtime.fetch(call.url, init));
  } catch (error) {
    // Some runtimes include the whole URL, and a beat URL is a secret.
    const reason = describeFetchError(error).replaceAll(call.url, describeUrlOrigin(call.url));
    return new FloeConnectionError(
      `${describeUrlOrigin(call.url)} could not be reached, or the connection was lost: ${reason}`,
      {
        code: 'connection_failed',
        retryable: true,
      },
    );
  }
}

async function readFetchResponse(answer: FetchResponse): Promise<ReceivedBeatResponse> {
  const { status, headers } = answer;
  const body = answer.body ? await readLimitedText(answer.body.getReader()) : { text: '', tooLong: false };
  return { status, header: (name) => headers.get(name), ...body };
}

async function readLimitedText(reader: FetchReader): Promise<{ text: string; tooLong: boolean }> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done || !value) return { text: text + decoder.decode(), tooLong: false };
    bytes += value.length;
    if (bytes > MAX_ANSWER_BYTES) {
      // Not awaited, because the other side determines when a canceled body ends.
      reader.cancel().catch(() => undefined);
      return { text, tooLong: true };
    }
    text += decoder.decode(value, { stream: true });
  }
}

function timeoutError(call: BeatRequest, timeoutMs: number): FloeError {
  return new FloeTimeoutError(
    `${describeUrlOrigin(call.url)} did not send a complete response within ${Math.round(timeoutMs)} ms`,
    { code: 'timed_out', retryable: true },
  );
}

/** Describes the cause, because `fetch failed` has no information. */
function describeFetchError(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause === undefined) return describeThrownValue(error);
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? `${code} (${describeThrownValue(cause)})` : describeThrownValue(cause);
}
