import { Fault } from '@floe/contract/faults';
import type { RequestHeaders } from './client.ts';

/** @throws Fault `unsupported_media_type` for a body that is encoded */
export function rejectContentEncoding(headers: RequestHeaders): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new Fault(
      'unsupported_media_type',
      `The content encoding "${encoding}" is not supported. Send the request body uncompressed.`,
    );
}

/** @throws Fault `unsupported_media_type` for a body that is encoded, or says that it is no JSON */
export function requireJsonBody(headers: RequestHeaders): void {
  rejectContentEncoding(headers);
  const type = headers['content-type'];
  if (type === undefined || /^\s*application\/(?:[\w.-]+\+)?json\b|^\s*text\/(?:json|plain)\b/i.test(type))
    return;
  throw new Fault(
    'unsupported_media_type',
    `The content type "${type}" is not supported. Send JSON with content-type: application/json.`,
  );
}

export function bodyTooLargeFault(limitBytes: number): Fault {
  return new Fault(
    'request_too_large',
    `The request body must have at most ${Math.floor(limitBytes / (1024 * 1024))} MB.`,
  );
}
