import type { JsonObject } from '@floe/contract/json';
import { AnswerAccumulator, type CanonicalAnswer } from '@floe/wire/answer';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '@floe/wire/dialects';
import { parseSseFrame, SseFramer } from '@floe/wire/sse';
import type { KeyRecord } from '../../platform/keyring.ts';
import { parseBody } from '../client-request.ts';
import type { Exchange } from '../exchange-record.ts';
import { type BodyRecorder, LOOK_AHEAD_BYTES, MAX_STORED_BODY_BYTES } from './body-recorder.ts';
import type { BodyStorageRules } from './body-storage-rules.ts';
import { buildStoredBody, type StoredBody } from './stored-body.ts';

/** Keeps what the client sent and was told, once its exchange is over. */
export function storeBodies(
  x: Exchange,
  key: KeyRecord,
  recorder: BodyRecorder,
  { redact }: BodyStorageRules,
): void {
  const { id, createdAt, gateway } = x;
  const { orgId, id: keyId, owner } = key;
  try {
    const bodies = { request: storedRequestBody(x, redact), answer: storedAnswerBody(x, recorder, redact) };
    gateway.bodies.store({ id, orgId, keyId, owner, createdAt }, bodies);
  } catch (error) {
    // The answer is told and the row must be written, whatever becomes of the bodies.
    gateway.log.error({ err: error, request_id: id }, 'request and response bodies could not be stored');
  }
}

/** Without what policies took out; what passes unread is not kept. */
function storedRequestBody(x: Exchange, redact: boolean): StoredBody | null {
  const body =
    x.request.prompt?.body ?? (x.request.opaque?.body.kind === 'json' ? x.request.opaque.body.bytes : null);
  return body === null
    ? null
    : buildStoredBody(body.subarray(0, MAX_STORED_BODY_BYTES + LOOK_AHEAD_BYTES), body.length, redact);
}

/**
 * A stream as the whole answer it stands for: a value that is spread over its events could be recognized nowhere
 * else. Where nothing is taken out, a stream that cannot be read so is kept as it was told.
 */
function storedAnswerBody(x: Exchange, recorder: BodyRecorder, redact: boolean): StoredBody | null {
  if (recorder.totalBytes === 0) return null;
  const told = recorder.start;
  const isStream = /^(?:event|data|id|retry)?:/.test(told.toString('latin1', 0, 8));
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

/** As much of an answer as its events tell; null when they tell none. */
function assembleAnswer(x: Exchange, told: Buffer): Buffer | null {
  const answer = foldEvents(x, told);
  if (answer === null || answer.blocks.length === 0) return null;
  try {
    return Buffer.from(JSON.stringify(renderAnswer(x, answer) ?? { blocks: answer.blocks }));
  } catch {
    // A request that our own reading refuses may have been answered all the same.
    return Buffer.from(JSON.stringify({ blocks: answer.blocks }));
  }
}

function foldEvents({ id, surface }: Exchange, told: Buffer): CanonicalAnswer | null {
  const fold = new AnswerAccumulator();
  const reader = UPSTREAM_DIALECTS[surface.dialect].createAnswerReader((event) => fold.add(event), { id });
  const { bytes, lead, ends } = new SseFramer().push(told);
  let from = lead;
  try {
    for (const end of ends) {
      const frame = parseSseFrame(bytes.subarray(from, end));
      if (frame) reader.read(frame);
      from = end;
    }
  } catch {
    // What came before the event that cannot be read is an answer too.
  }
  // A fault that was told inside it is on the row; one that was cut off has no end.
  const { fault: _, upstream: __, ...answer } = fold.answer;
  return answer;
}

/** In the client's dialect, as it would have been told whole; undefined where the request was not read. */
function renderAnswer(
  { request: { prompt }, surface, id, createdAt }: Exchange,
  answer: CanonicalAnswer,
): JsonObject | undefined {
  if (prompt === null) return undefined;
  const client = CLIENT_DIALECTS[surface.dialect];
  const request = parseBody(prompt);
  const createdS = Math.floor(createdAt / 1000);
  const { body } = client.writeWholeAnswer(answer, {
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
