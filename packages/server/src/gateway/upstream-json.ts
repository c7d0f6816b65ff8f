import { isUtf8 } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import { type Json, parseJsonExactly } from '@floe/contract/json';
import { JsonCursor } from '@floe/wire/json-cursor';
import {
  describeMaxWeight,
  JsonWeightCounter,
  JsonWeightError,
  MAX_RESPONSE_JSON_WEIGHT,
} from '@floe/wire/json-weight';

/** A shorter response cannot weigh too much: it has at most 10 per two bytes. */
const UNWEIGHED_BYTES = MAX_RESPONSE_JSON_WEIGHT / 10;

/**
 * Parses a provider's JSON response and keeps numbers exactly as they are written.
 * @throws Fault `upstream_error` if the response is truncated, not UTF-8, not JSON, or has too many values
 */
export function parseUpstreamJson(bytes: Buffer): Json {
  if (!isUtf8(bytes))
    throw new Fault('upstream_error', 'The provider sent a response that is not valid UTF-8.', {
      upstreamBody: bytes.toString('utf8', 0, 2000),
    });
  if (bytes.length > UNWEIGHED_BYTES) requireMaxWeight(bytes);
  try {
    return parseJsonExactly(bytes.toString('utf8'));
  } catch {
    throw new Fault('upstream_error', 'The provider sent a response that is not valid JSON.', {
      upstreamBody: bytes.toString('utf8', 0, 2000),
    });
  }
}

function requireMaxWeight(bytes: Buffer): void {
  const cursor = new JsonCursor(bytes);
  cursor.weight = new JsonWeightCounter(MAX_RESPONSE_JSON_WEIGHT);
  try {
    cursor.skip();
  } catch (error) {
    // Invalid JSON is reported by the parser.
    if (!(error instanceof JsonWeightError)) return;
    throw new Fault(
      'upstream_error',
      `The provider sent a response with too many JSON values. The maximum is ${describeMaxWeight(MAX_RESPONSE_JSON_WEIGHT)}. Request less output, or split the request.`,
      { upstreamBody: bytes.toString('utf8', 0, 2000) },
    );
  }
}
