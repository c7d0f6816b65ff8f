import { isUtf8 } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import { type Json, parseJsonExactly } from '@floe/contract/json';

/**
 * Parses a provider's JSON response and keeps numbers exactly as they are written.
 * @throws Fault `upstream_error` if the response is truncated, not UTF-8 or not JSON
 */
export function parseUpstreamJson(bytes: Buffer): Json {
  if (!isUtf8(bytes))
    throw new Fault('upstream_error', 'The provider sent a response that is not valid UTF-8.', {
      upstreamBody: bytes.toString('utf8', 0, 2000),
    });
  try {
    return parseJsonExactly(bytes.toString('utf8'));
  } catch {
    throw new Fault('upstream_error', 'The provider sent a response that is not valid JSON.', {
      upstreamBody: bytes.toString('utf8', 0, 2000),
    });
  }
}
