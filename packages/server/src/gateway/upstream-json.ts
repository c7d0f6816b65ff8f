import { isUtf8 } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import { type Json, parseJsonExactly } from '@floe/contract/json';

/**
 * Parses an upstream's JSON answer, its numbers as they are written. Throws `upstream_error` when it is cut short, not UTF-8
 * or none.
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
