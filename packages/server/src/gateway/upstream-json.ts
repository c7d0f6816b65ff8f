import { isUtf8 } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import { type Json, parseJsonExactly } from '@floe/contract/json';
import { enforceMaxJsonComplexity } from '@floe/wire/enforce-max-json-complexity';
import {
  describeMaxComplexity,
  JsonComplexityError,
  MAX_RESPONSE_JSON_COMPLEXITY,
} from '@floe/wire/json-complexity';
import { MAX_NESTING_DEPTH } from '@floe/wire/json-cursor';

/** The complexity of a response of up to this size is not computed, because it cannot exceed the maximum by much. */
const UNCOUNTED_RESPONSE_BYTES = MAX_RESPONSE_JSON_COMPLEXITY / 10;

/**
 * Parses a provider's JSON response and keeps numbers exactly as they are written.
 * @throws Fault `upstream_error` if the response is truncated, not UTF-8, not JSON, or has too many values, or if a
 * long response is nested too deeply
 */
export function parseUpstreamJson(bytes: Buffer): Json {
  if (!isUtf8(bytes)) throw createUnreadableFault(bytes, 'is not valid UTF-8');
  const error = findComplexityError(bytes);
  if (error instanceof JsonComplexityError) throw createTooManyValuesFault(bytes);
  if (error !== null)
    throw createUnreadableFault(
      bytes,
      `is not valid JSON, or is nested deeper than ${MAX_NESTING_DEPTH} levels`,
    );
  try {
    return parseJsonExactly(bytes.toString('utf8'));
  } catch {
    throw createUnreadableFault(bytes, 'is not valid JSON');
  }
}

/**
 * Returns the error that prevents a long response from being parsed: it has too many values, or their number is
 * unknown, because the response is not valid JSON or is nested too deeply. Returns null if it may be parsed.
 */
export function findComplexityError(bytes: Buffer): unknown {
  if (bytes.length <= UNCOUNTED_RESPONSE_BYTES) return null;
  try {
    enforceMaxJsonComplexity(bytes, MAX_RESPONSE_JSON_COMPLEXITY);
    return null;
  } catch (error) {
    return error;
  }
}

/** Returns the fault for a response that Floe cannot read. `problem` completes "a response that …". */
export function createUnreadableFault(bytes: Buffer, problem: string): Fault {
  return new Fault(
    'upstream_error',
    `The provider sent a response that ${problem}. Send the request again.`,
    {
      upstreamBody: bytes.toString('utf8', 0, 2000),
    },
  );
}

function createTooManyValuesFault(bytes: Buffer): Fault {
  return new Fault(
    'upstream_error',
    `The provider sent a response with too many JSON values. The maximum is ${describeMaxComplexity(MAX_RESPONSE_JSON_COMPLEXITY)}. Request less output, or split the request.`,
    { upstreamBody: bytes.toString('utf8', 0, 2000) },
  );
}
