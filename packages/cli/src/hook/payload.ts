import { isObject, type JsonObject } from '@floe/contract/json';

/** No agent gives its hooks more. */
export const MOST_PAYLOAD = 11 * 1024 * 1024;
const CLOSING_BRACE = 0x7d;
/** After a pause of this length what has arrived may be all. */
const QUIET_MS = 50;

/** Why the payload cannot be read, for the person. */
export class BadPayload extends Error {
  override readonly name = 'BadPayload';
}

/**
 * What the agent gives its hook: one JSON object. An agent that writes it whole and leaves its end of the pipe open
 * is not waited for.
 *
 * @throws BadPayload when it is longer than 11 MiB, is not complete in time, or is no object
 */
export async function readPayload(input: NodeJS.ReadableStream, timeoutMs: number): Promise<JsonObject> {
  return await new Promise((resolve, reject) => {
    const taken: Buffer[] = [];
    let size = 0;
    let nextTry = 0;
    let quiet: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => refuse('the agent did not end its payload'), timeoutMs);
    const settle = (settled: () => void) => {
      clearTimeout(timer);
      clearTimeout(quiet);
      input.pause();
      settled();
    };
    const refuse = (why: string) => settle(() => reject(new BadPayload(why)));
    const tryNow = () => {
      nextTry = size * 2;
      const payload = parsed(taken);
      if (isObject(payload)) settle(() => resolve(payload));
    };
    input.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_PAYLOAD) return refuse('the payload is longer than 11 MiB');
      taken.push(chunk);
      clearTimeout(quiet);
      if (lastByte(chunk) !== CLOSING_BRACE) return;
      // Tried at sizes that double and in pauses, so that parsing stays linear.
      if (size >= nextTry) tryNow();
      else quiet = setTimeout(tryNow, QUIET_MS);
    });
    input.on('end', () => {
      const payload = parsed(taken);
      if (isObject(payload)) settle(() => resolve(payload));
      else refuse(payload === undefined ? 'the payload is not JSON' : 'the payload is not a JSON object');
    });
    input.on('error', () => refuse('the payload cannot be read'));
  });
}

/** Of what is no blank. */
function lastByte(chunk: Buffer): number {
  let at = chunk.length - 1;
  while (at > 0 && (chunk[at] ?? 0) <= 0x20) at -= 1;
  return chunk[at] ?? 0;
}

/** Undefined when it is no JSON. */
function parsed(chunks: readonly Buffer[]): unknown {
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}
