import { originOf, type Received } from './answer.ts';
import type { Call } from './call.ts';
import { FloeConnectionError, type FloeError, FloeTimeoutError } from './errors.ts';
import { messageOf } from './metadata.ts';
import type { FetchAnswer, FetchReader, Surroundings } from './surroundings.ts';

/** An answer to a beat has 300 bytes; whatever goes on beyond this is something else. */
const LONGEST_ANSWER_BYTES = 65_536;

/**
 * One request, head and body of the answer within `timeoutMs`. Never rejects. A `fetch` that ignores its signal is
 * left behind when the time is over.
 */
export async function attempt(
  call: Call,
  timeoutMs: number,
  around: Surroundings,
  stop?: AbortSignal,
): Promise<Received | FloeError> {
  const abort = new AbortController();
  let settle: (outcome: FloeError) => void = () => undefined;
  const cut = new Promise<FloeError>((resolve) => {
    settle = resolve;
  });
  const end = (error: FloeError) => {
    settle(error);
    abort.abort();
  };
  const timer = around.after(timeoutMs, () => end(timedOut(call, timeoutMs)), false);
  const stopped = () => end(new FloeConnectionError('the loop was stopped', { code: 'stopped' }));
  stop?.addEventListener('abort', stopped, { once: true });
  if (stop?.aborted) stopped();
  try {
    return await Promise.race([cut, exchange(call, abort.signal, around)]);
  } finally {
    timer.cancel();
    stop?.removeEventListener('abort', stopped);
  }
}

async function exchange(
  call: Call,
  signal: AbortSignal,
  around: Surroundings,
): Promise<Received | FloeError> {
  try {
    const init = {
      method: 'POST',
      headers: { ...call.headers },
      body: call.body,
      redirect: 'manual' as const,
      signal,
    };
    return await received(await around.fetch(call.url, init));
  } catch (error) {
    // Some runtimes name the whole address, and that of a beat URL is a secret.
    const reason = reasonOf(error).replaceAll(call.url, originOf(call.url));
    return new FloeConnectionError(`${originOf(call.url)} could not be reached, or broke off: ${reason}`, {
      code: 'connection_failed',
      retryable: true,
    });
  }
}

async function received(answer: FetchAnswer): Promise<Received> {
  const { status, headers } = answer;
  const body = answer.body ? await readSome(answer.body.getReader()) : { text: '', tooLong: false };
  return { status, header: (name) => headers.get(name), ...body };
}

async function readSome(reader: FetchReader): Promise<{ text: string; tooLong: boolean }> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done || !value) return { text: text + decoder.decode(), tooLong: false };
    bytes += value.length;
    if (bytes > LONGEST_ANSWER_BYTES) {
      // Not awaited: the other side decides when a cancelled body ends.
      reader.cancel().catch(() => undefined);
      return { text, tooLong: true };
    }
    text += decoder.decode(value, { stream: true });
  }
}

function timedOut(call: Call, timeoutMs: number): FloeError {
  return new FloeTimeoutError(
    `${originOf(call.url)} did not answer completely within ${Math.round(timeoutMs)} ms`,
    { code: 'timed_out', retryable: true },
  );
}

/** `fetch failed` says nothing; what it was stands in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause === undefined) return messageOf(error);
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? `${code} (${messageOf(cause)})` : messageOf(cause);
}
