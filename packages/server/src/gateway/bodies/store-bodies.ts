import type { JsonObject } from '@floe/contract/json';
import { type CanonicalResponse, ResponseAccumulator } from '@floe/wire/canonical-response';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '@floe/wire/dialects';
import { parseSseFrame, SseFramer } from '@floe/wire/sse';
import type { KeyRecord } from '../../platform/keyring.ts';
import { parseClientRequestBody } from '../client-request.ts';
import type { Exchange } from '../exchange-record.ts';
import { BODY_LOOK_AHEAD_BYTES, type BodyRecorder, MAX_STORED_BODY_BYTES } from './body-recorder.ts';
import type { BodyStorageSettings } from './body-storage-settings.ts';
import { buildStoredBody, type StoredBody } from './stored-body.ts';

/** Stores the request and the response of a finished exchange. */
export function storeBodies(
  x: Exchange,
  key: KeyRecord,
  recorder: BodyRecorder,
  { redact }: BodyStorageSettings,
): void {
  const { id, createdAt, gateway } = x;
  const { orgId, id: keyId, owner } = key;
  try {
    const bodies = { request: storedRequestBody(x, redact), answer: storedAnswerBody(x, recorder, redact) };
    gateway.bodies.store({ id, orgId, keyId, owner, createdAt }, bodies);
  } catch (error) {
    // The response has been sent and the row must be written, even if storing the bodies fails.
    gateway.log.error(
      { err: error, request_id: id },
      'request and response bodies could not be stored; the request log shows this request without bodies',
    );
  }
}

/**
 * Returns the request body with the redactions of policies. Requests that Floe does not parse are not stored.
 */
function storedRequestBody(x: Exchange, redact: boolean): StoredBody | null {
  const body =
    x.request.prompt?.body ?? (x.request.opaque?.body.kind === 'json' ? x.request.opaque.body.bytes : null);
  return body === null
    ? null
    : buildStoredBody(body.subarray(0, MAX_STORED_BODY_BYTES + BODY_LOOK_AHEAD_BYTES), body.length, redact);
}

/** Matches the first non-empty line of an event stream, in Latin-1. A byte order mark may precede it. */
const STREAM_START = /^(?:\xef\xbb\xbf)?[\r\n]*(?:event|data|id|retry)?:/;

/**
 * Returns a stream as the complete response that it contains, because a value that is split across events
 * would not be detected. If nothing is redacted, a stream that cannot be parsed is stored as it was sent.
 */
function storedAnswerBody(x: Exchange, recorder: BodyRecorder, redact: boolean): StoredBody | null {
  if (recorder.totalBytes === 0) return null;
  const told = recorder.start;
  const isStream = STREAM_START.test(told.toString('latin1', 0, 1024));
  if (!isStream) return buildStoredBody(told, recorder.totalBytes, redact);
  const whole = assembleAnswer(x, told);
  if (whole !== null) {
    const kept = buildStoredBody(whole, whole.length, redact);
    return (
      kept && {
        ...kept,
        bytes: recorder.totalBytes,
        truncated: kept.truncated || recorder.totalBytes > told.length,
      }
    );
  }
  return redact ? null : buildStoredBody(told, recorder.totalBytes, false);
}

/** Returns the response that the events contain; null if they contain none. */
function assembleAnswer(x: Exchange, told: Buffer): Buffer | null {
  const answer = foldEvents(x, told);
  if (answer === null || answer.blocks.length === 0) return null;
  try {
    return Buffer.from(JSON.stringify(renderAnswer(x, answer) ?? { blocks: answer.blocks }));
  } catch {
    // A provider may have accepted a request that Floe's reader rejects.
    return Buffer.from(JSON.stringify({ blocks: answer.blocks }));
  }
}

function foldEvents({ id, surface }: Exchange, told: Buffer): CanonicalResponse | null {
  const fold = new ResponseAccumulator();
  const reader = UPSTREAM_DIALECTS[surface.dialect].createResponseReader((event) => fold.add(event), { id });
  const { bytes, lead, ends } = new SseFramer().push(told);
  let from = lead;
  try {
    for (const end of ends) {
      const frame = parseSseFrame(bytes.subarray(from, end));
      if (frame) reader.read(frame);
      from = end;
    }
  } catch {
    // Everything before an invalid event also belongs to the response.
  }
  // The row records the fault of a stream. A truncated stream has no fault.
  const { fault: _, ...answer } = fold.answer;
  return answer;
}

/**
 * Writes the response in the client's dialect, as if it had not been streamed. Returns undefined if the
 * request was not parsed.
 */
function renderAnswer(
  { request: { prompt }, surface, id, createdAt }: Exchange,
  answer: CanonicalResponse,
): JsonObject | undefined {
  if (prompt === null) return undefined;
  const client = CLIENT_DIALECTS[surface.dialect];
  const request = parseClientRequestBody(prompt);
  const createdS = Math.floor(createdAt / 1000);
  const { body } = client.writeCompleteResponse(answer, {
    request: prompt.canonical ?? client.readRequest(request),
    clientBody: request,
    id: id.slice(id.indexOf('_') + 1),
    requestId: id,
    createdS,
    nowS: () => createdS,
    chatReasoning: 'forward',
  });
  return body;
}
