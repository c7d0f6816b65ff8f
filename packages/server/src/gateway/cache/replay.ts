import { parseExactly } from '@floe/contract/json';
import { AnswerFold, eventsOf } from '@floe/wire/answer';
import type { AnswerContext } from '@floe/wire/dialect';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '@floe/wire/dialects';
import type { AnswerEvent } from '@floe/wire/events';
import type { Need } from '@floe/wire/request';
import { readFrame, SseFramer } from '@floe/wire/sse';
import type { KeptAnswer } from '../../store/cache/answer-cache.ts';
import { answerHeaders, streamHeaders } from '../answer-headers.ts';
import { type Ask, parseBody } from '../ask.ts';
import type { Target } from '../catalog.ts';
import type { Exchange } from '../exchange-record.ts';
import { ideWriting } from '../ide/writing.ts';
import { judgedBody } from '../policy/answer-gate.ts';
import { judgedStream } from '../policy/stream-gate.ts';
import { asksForUsage, headOf, type KeptHead } from './kept.ts';

/** Asked for, these put something in an answer that only its own form can show. */
const UNTELLABLE: readonly Need[] = ['logprobs', 'choices', 'audio-out', 'hosted-tool', 'unknown-content'];

/** A kept answer in the form that a request asks for. */
export interface Replay {
  readonly head: KeptHead;
  readonly text: Buffer | string;
}

/**
 * Reads a kept answer for a request: the bytes as they were kept in the same form, written anew in the other one. Null when
 * the other form could not show all of it.
 */
export function replayFor(x: Exchange, ask: Ask, target: Target, kept: KeptAnswer): Replay | null {
  const head = headOf(kept);
  if (head === null) return null;
  const text = isSameForm(x, ask, head) ? kept.body : inOtherForm(x, ask, target, { head, body: kept.body });
  return text === null ? null : { head, text };
}

/**
 * Sends a kept answer to the client.
 *
 * @throws Fault `policy_denied` when a policy denies this caller the answer
 */
export function sendReplay(x: Exchange, ask: Ask, { head, text }: Replay): void {
  // Rules may ask who the caller is, so what another was told is judged again.
  const judged = ask.stream ? judgedStream(x, text, head.usage) : judgedBody(x, text);
  x.answer.reportUsage(head.usage);
  x.answer.setFinish(head.finish);
  x.answer.setDropped(head.dropped);
  if (ask.stream) {
    x.progress.contentSent(x.gateway.clock.monotonic());
    x.client.open(200, streamHeaders(x));
    x.client.write(judged);
    x.client.end();
  } else x.client.answer(200, answerHeaders(x, 'application/json'), judged);
}

function isSameForm(x: Exchange, ask: Ask, head: KeptHead): boolean {
  if (ask.stream !== head.streamed) return false;
  return (
    !ask.stream || x.surface.dialect !== 'chat' || asksForUsage(ask.body, ask.members) === head.showsUsage
  );
}

/** A kept answer whose head could be read. */
interface ReadAnswer {
  readonly head: KeptHead;
  readonly body: Buffer;
}

/** A provider may take requests, and give answers, that our own reading refuses: those are asked anew. */
function inOtherForm(x: Exchange, ask: Ask, target: Target, kept: ReadAnswer): string | null {
  try {
    return rewritten(x, ask, target, kept);
  } catch (error) {
    x.gateway.log.warn({ err: error, request_id: x.id }, 'a kept answer could not be read again');
    return null;
  }
}

function rewritten(x: Exchange, ask: Ask, target: Target, { head, body }: ReadAnswer): string | null {
  const { dialect } = x.surface;
  const request = parseBody(ask);
  const client = CLIENT_DIALECTS[dialect];
  const wireAsk = ask.wire ?? client.readAsk(request);
  if (UNTELLABLE.some((need) => wireAsk.needs.has(need))) return null;
  const nowS = () => Math.floor(x.gateway.clock.now() / 1000);
  const context: AnswerContext = {
    ask: wireAsk,
    request,
    id: x.id.slice(x.id.indexOf('_') + 1),
    requestId: x.id,
    createdS: nowS(),
    nowS,
    chatReasoning: x.course?.chatReasoning === 'forward' ? 'forward' : undefined,
    inputEstimate: head.usage?.units.input,
    sealOrigin: target.provider.sealOrigin(target.credential),
    ...(x.surface.ide ? ideWriting(x) : undefined),
  };
  const events = withUsage(eventsIn(x, target, body, head), head);
  if (ask.stream) {
    const writer = client.answerWriter(context);
    const text = events.map((event) => writer.write(event)).join('');
    return writer.dropped.size > 0 ? null : text;
  }
  const fold = new AnswerFold();
  for (const event of events) fold.add(event);
  const whole = client.writeAnswer(fold.answer, context);
  return whole.dropped.size > 0 ? null : JSON.stringify(whole.body);
}

function eventsIn(x: Exchange, target: Target, body: Buffer, { streamed }: KeptHead): AnswerEvent[] {
  const upstream = UPSTREAM_DIALECTS[x.surface.dialect];
  const options = { id: x.id, sealOrigin: target.provider.sealOrigin(target.credential) };
  if (!streamed) return [...eventsOf(upstream.readAnswer(parseExactly(body.toString('utf8')), options))];
  const events: AnswerEvent[] = [];
  const reader = upstream.answerReader((event) => events.push(event), options);
  const { bytes, lead, ends } = new SseFramer().push(body);
  let from = lead;
  for (const end of ends) {
    const frame = readFrame(bytes.subarray(from, end));
    if (frame) reader.read(frame);
    from = end;
  }
  reader.end();
  return events;
}

/** A stream kept for a client that wanted no usage frame does not say what the form with one must. */
function withUsage(events: AnswerEvent[], { usage }: KeptHead): AnswerEvent[] {
  if (usage === null || events.some(({ type }) => type === 'usage')) return events;
  const finish = events.findIndex(({ type }) => type === 'finish');
  return finish === -1 ? events : events.toSpliced(finish, 0, { type: 'usage', usage });
}
