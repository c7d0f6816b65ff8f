import { isJsonObject, type JsonObject } from '@floe/contract/json';

/** The maximum size of a hook payload. Larger payloads are rejected. Supported agents send smaller payloads. */
export const MAX_HOOK_PAYLOAD_BYTES = 11 * 1024 * 1024;
const CLOSING_BRACE = 0x7d;
/** After this pause, the received data may be complete. */
const IDLE_PARSE_MS = 50;

/** Thrown if the payload of a hook cannot be read. The message tells the user why. */
export class HookPayloadError extends Error {
  override readonly name = 'HookPayloadError';
}

/**
 * Reads the payload of a hook, which is one JSON object. Returns as soon as the object is complete, even if
 * the agent keeps the input open.
 * @throws HookPayloadError if the payload is longer than 11 MiB, is incomplete after the timeout, or is not an
 * object
 */
export async function readHookPayload(input: NodeJS.ReadableStream, timeoutMs: number): Promise<JsonObject> {
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let nextParseBytes = 0;
    let idleTimer: NodeJS.Timeout | undefined;
    const timer = setTimeout(
      () => fail(`the agent did not send the complete payload within ${timeoutMs} ms`),
      timeoutMs,
    );
    const settle = (settled: () => void) => {
      clearTimeout(timer);
      clearTimeout(idleTimer);
      input.pause();
      settled();
    };
    const fail = (why: string) => settle(() => reject(new HookPayloadError(why)));
    const tryParse = () => {
      nextParseBytes = size * 2;
      const payload = parseJsonChunks(chunks);
      if (isJsonObject(payload)) settle(() => resolve(payload));
    };
    input.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_HOOK_PAYLOAD_BYTES) return fail('the payload from the agent is larger than 11 MiB');
      chunks.push(chunk);
      clearTimeout(idleTimer);
      if (lastNonBlankByte(chunk) !== CLOSING_BRACE) return;
      // Tried at sizes that double and after pauses, so that parsing is linear.
      if (size >= nextParseBytes) tryParse();
      else idleTimer = setTimeout(tryParse, IDLE_PARSE_MS);
    });
    input.on('end', () => {
      const payload = parseJsonChunks(chunks);
      if (isJsonObject(payload)) settle(() => resolve(payload));
      else
        fail(
          payload === undefined
            ? 'the payload from the agent is not valid JSON'
            : 'the payload from the agent is not a JSON object',
        );
    });
    input.on('error', () => fail('the payload from the agent could not be read'));
  });
}

/** The last byte that is not blank. */
function lastNonBlankByte(chunk: Buffer): number {
  let at = chunk.length - 1;
  while (at > 0 && (chunk[at] ?? 0) <= 0x20) at -= 1;
  return chunk[at] ?? 0;
}

/** Undefined if the text is not JSON. */
function parseJsonChunks(chunks: readonly Buffer[]): unknown {
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}
