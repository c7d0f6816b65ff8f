import { Fault } from '@floe/contract/faults';
import type { RequestHeaders } from './client-call.ts';

/**
 * Rejects a request body that has a content encoding.
 * @throws Fault `unsupported_media_type`
 */
export function requireUnencodedBody(headers: RequestHeaders): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new Fault(
      'unsupported_media_type',
      `The content encoding "${encoding}" is not supported. Send the request body uncompressed.`,
    );
}

/**
 * Rejects a request body that is compressed or otherwise encoded, or whose content type is not JSON. `text/plain` and
 * a missing content type are accepted.
 * @throws Fault `unsupported_media_type`
 */
export function requireJsonBody(headers: RequestHeaders): void {
  requireUnencodedBody(headers);
  const type = headers['content-type'];
  if (type === undefined || /^\s*application\/(?:[\w.-]+\+)?json\b|^\s*text\/(?:json|plain)\b/i.test(type))
    return;
  throw new Fault(
    'unsupported_media_type',
    `The content type "${type}" is not supported. Send JSON with content-type: application/json.`,
  );
}

/** Returns the fault for a body that exceeds the size limit. */
export function createBodyTooLargeFault(limitBytes: number): Fault {
  return new Fault(
    'request_too_large',
    `The request body must be at most ${Math.floor(limitBytes / (1024 * 1024))} MB.`,
  );
}
