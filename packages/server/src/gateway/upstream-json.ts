import { isUtf8 } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import { type Json, parseJsonExactly } from '@floe/contract/json';
import { enforceMaxJsonComplexity } from '@floe/wire/enforce-max-json-complexity';
import {
  describeMaxComplexity,
  JsonComplexityError,
  MAX_RESPONSE_JSON_COMPLEXITY,
} from '@floe/wire/json-complexity';

/** The complexity of a response of up to this size is not computed, because it cannot exceed the maximum by much. */
export const UNCOUNTED_RESPONSE_BYTES = MAX_RESPONSE_JSON_COMPLEXITY / 10;

/**
 * Parses a provider's JSON response and keeps numbers exactly as they are written.
 * @throws Fault `upstream_error` if the response is truncated, not UTF-8, not JSON, or has too many values
 */
export function parseUpstreamJson(bytes: Buffer): Json {
  if (!isUtf8(bytes))
    throw new Fault(
      'upstream_error',
      'The provider sent a response that is not valid UTF-8. Send the request again.',
      {
        upstreamBody: bytes.toString('utf8', 0, 2000),
      },
    );
  if (bytes.length > UNCOUNTED_RESPONSE_BYTES) requireMaxComplexity(bytes);
  try {
    return parseJsonExactly(bytes.toString('utf8'));
  } catch {
    throw new Fault(
      'upstream_error',
      'The provider sent a response that is not valid JSON. Send the request again.',
      {
        upstreamBody: bytes.toString('utf8', 0, 2000),
      },
    );
  }
}

function requireMaxComplexity(bytes: Buffer): void {
  try {
    enforceMaxJsonComplexity(bytes, MAX_RESPONSE_JSON_COMPLEXITY);
  } catch (error) {
    // Invalid JSON is reported by the parser.
    if (!(error instanceof JsonComplexityError)) return;
    throw new Fault(
      'upstream_error',
      `The provider sent a response with too many JSON values. The maximum is ${describeMaxComplexity(MAX_RESPONSE_JSON_COMPLEXITY)}. Request less output, or split the request.`,
      { upstreamBody: bytes.toString('utf8', 0, 2000) },
    );
  }
}
