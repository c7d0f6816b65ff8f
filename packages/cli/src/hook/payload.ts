import { isObject, type JsonObject } from '@floe/contract/json';

/** No agent gives its hooks more. */
export const MOST_PAYLOAD = 11 * 1024 * 1024;

/** Why the payload cannot be read, for the person. */
export class BadPayload extends Error {
  override readonly name = 'BadPayload';
}

/**
 * What the agent gives its hook: one JSON object.
 *
 * @throws BadPayload when it is longer than 11 MiB, does not end in time, or is no object
 */
export async function readPayload(input: NodeJS.ReadableStream, timeoutMs: number): Promise<JsonObject> {
  const chunks = await new Promise<Buffer[]>((resolve, reject) => {
    const taken: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => reject(new BadPayload('the agent did not end its payload')), timeoutMs);
    const settle = (settled: () => void) => {
      clearTimeout(timer);
      settled();
    };
    input.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_PAYLOAD) settle(() => reject(new BadPayload('the payload is longer than 11 MiB')));
      else taken.push(chunk);
    });
    input.on('end', () => settle(() => resolve(taken)));
    input.on('error', () => settle(() => reject(new BadPayload('the payload cannot be read'))));
  });
  let parsed: unknown;
  try {
    parsed = JSON.parse(
      Buffer.concat(chunks)
        .toString('utf8')
        .replace(/^\ufeff/, ''),
    );
  } catch {
    throw new BadPayload('the payload is not JSON');
  }
  if (!isObject(parsed)) throw new BadPayload('the payload is not a JSON object');
  return parsed;
}
