import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';

const METADATA_BYTES = 2048;

/** What a caller asks of the gateway itself, in headers; never required. */
export interface Controls {
  readonly metadata: JsonObject | null;
  readonly timeoutMs: number | null;
}

/** `x-floe-metadata` and `x-floe-timeout-ms`. Throws `invalid_request` naming the header. */
export function readControls(headers: Readonly<Record<string, string | string[] | undefined>>): Controls {
  return {
    metadata: readMetadata(headers['x-floe-metadata']),
    timeoutMs: readTimeout(headers['x-floe-timeout-ms']),
  };
}

function readMetadata(value: string | string[] | undefined): JsonObject | null {
  if (value === undefined) return null;
  const param = 'x-floe-metadata';
  const text = String(value);
  if (Buffer.byteLength(text) > METADATA_BYTES)
    throw new Fault('invalid_request', 'The header x-floe-metadata is larger than 2 KB.', { param });
  try {
    const parsed: unknown = JSON.parse(text);
    if (isObject(parsed)) return parsed;
  } catch {
    // Not JSON: reported below together with JSON that is no object.
  }
  throw new Fault('invalid_request', 'The header x-floe-metadata must hold a JSON object.', { param });
}

function readTimeout(value: string | string[] | undefined): number | null {
  if (value === undefined) return null;
  const ms = Number(value);
  if (Number.isInteger(ms) && ms > 0) return ms;
  throw new Fault(
    'invalid_request',
    'The header x-floe-timeout-ms must be a whole number of milliseconds above 0.',
    {
      param: 'x-floe-timeout-ms',
    },
  );
}
