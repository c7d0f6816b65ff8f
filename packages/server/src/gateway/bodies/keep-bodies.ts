import type { JsonObject } from '@floe/contract/json';
import { type Answer, AnswerFold } from '@floe/wire/answer';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '@floe/wire/dialects';
import { readFrame, SseFramer } from '@floe/wire/sse';
import type { KeyRecord } from '../../platform/keyring.ts';
import { parseBody } from '../ask.ts';
import type { Exchange } from '../exchange-record.ts';
import { BODY_BYTES, type BodyTape, LOOK_AHEAD_BYTES } from './body-tape.ts';
import { type KeptBody, keptBody } from './kept-body.ts';
import type { BodyRules } from './rules.ts';

/** Keeps what the client sent and was told, once its exchange is over. */
export function keepBodies(x: Exchange, key: KeyRecord, tape: BodyTape, { redact }: BodyRules): void {
  const { id, createdAt, gateway } = x;
  const { orgId, id: keyId, owner } = key;
  try {
    const bodies = { request: requestOf(x, redact), answer: answerOf(x, tape, redact) };
    gateway.bodies.keep({ id, orgId, keyId, owner, createdAt }, bodies);
  } catch (error) {
    // The answer is told and the row must be written, whatever becomes of the bodies.
    gateway.log.error({ err: error, request_id: id }, 'the bodies of a request could not be kept');
  }
}

/** Without what policies took out; what passes unread is not kept. */
function requestOf(x: Exchange, redact: boolean): KeptBody | null {
  const body =
    x.request.ask?.body ?? (x.request.opaque?.body.kind === 'json' ? x.request.opaque.body.bytes : null);
  return body === null
    ? null
    : keptBody(body.subarray(0, BODY_BYTES + LOOK_AHEAD_BYTES), body.length, redact);
}

/**
 * A stream as the whole answer it stands for: a value that is spread over its events could be recognized nowhere
 * else. Where nothing is taken out, a stream that cannot be read so is kept as it was told.
 */
function answerOf(x: Exchange, tape: BodyTape, redact: boolean): KeptBody | null {
  if (tape.bytes === 0) return null;
  const told = tape.start;
  const isStream = /^(?:event|data|id|retry)?:/.test(told.toString('latin1', 0, 8));
  if (!isStream) return keptBody(told, tape.bytes, redact);
  const whole = assembled(x, told);
  if (whole !== null) {
    const kept = keptBody(whole, whole.length, redact);
    return kept && { ...kept, bytes: tape.bytes, truncated: kept.truncated || tape.bytes > told.length };
  }
  return redact ? null : keptBody(told, tape.bytes, false);
}

/** As much of an answer as its events tell; null when they tell none. */
function assembled(x: Exchange, told: Buffer): Buffer | null {
  const answer = folded(x, told);
  if (answer === null || answer.blocks.length === 0) return null;
  try {
    return Buffer.from(JSON.stringify(written(x, answer) ?? { blocks: answer.blocks }));
  } catch {
    // A request that our own reading refuses may have been answered all the same.
    return Buffer.from(JSON.stringify({ blocks: answer.blocks }));
  }
}

function folded({ id, surface }: Exchange, told: Buffer): Answer | null {
  const fold = new AnswerFold();
  const reader = UPSTREAM_DIALECTS[surface.dialect].answerReader((event) => fold.add(event), { id });
  const { bytes, lead, ends } = new SseFramer().push(told);
  let from = lead;
  try {
    for (const end of ends) {
      const frame = readFrame(bytes.subarray(from, end));
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
function written(
  { request: { ask }, surface, id, createdAt }: Exchange,
  answer: Answer,
): JsonObject | undefined {
  if (ask === null) return undefined;
  const client = CLIENT_DIALECTS[surface.dialect];
  const request = parseBody(ask);
  const createdS = Math.floor(createdAt / 1000);
  const { body } = client.writeAnswer(answer, {
    ask: ask.wire ?? client.readAsk(request),
    request,
    id: id.slice(id.indexOf('_') + 1),
    requestId: id,
    createdS,
    nowS: () => createdS,
    chatReasoning: 'forward',
  });
  return body;
}
