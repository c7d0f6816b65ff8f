import { Fault } from '@floe/contract/faults';
import type { UpstreamAnswer, UpstreamHead } from '../../providers/transport.ts';
import { wholeAnswer } from '../answer-sinks.ts';
import type { Target } from '../catalog.ts';
import type { Exchange } from '../exchange-record.ts';
import type { AnswerSink, Plan } from '../plan.ts';
import { refusedAnswer, wrongTypeFault } from '../refused-answer.ts';
import { headerOf, readRefusal, sheetMeaning, UpstreamRefusal } from '../upstream-fault.ts';
import { answerHeadersOf, without } from './headers.ts';
import { opaqueRequest, type Sending } from './opaque-request.ts';
import { type Passed, PassedAnswer } from './passed-answer.ts';

export interface OpaquePlanning extends Sending {
  readonly passed: Passed;
  /** What has to be known of a JSON answer before it goes on; null lets every answer pass. */
  readonly work: HeldWork | null;
  /** Such an answer. */
  held: HeldAnswer | null;
}

export interface HeldAnswer extends UpstreamAnswer {
  /** Who gave it. */
  readonly target: Target;
}

/** `create`: the answer is a new thing; `note`: it may name some; `list`: it may name other people's; `show`: none of it. */
export type HeldWork = 'create' | 'note' | 'list' | 'show';

/** The plan for one attempt of a request that passes unread. Throws the `Fault` that makes a target ineligible. */
export function planOpaque(x: Exchange, target: Target, planning: OpaquePlanning): Plan {
  const { body } = planning.ask;
  if (body.kind === 'upload' && !body.upload.fresh)
    throw new Fault('unsupported_parameter', 'The body was on its way already and cannot be sent again.');
  return {
    request: opaqueRequest(x, target, planning),
    ...(body.kind === 'upload' && { upload: body.upload }),
    dropped: [],
    raw: (head) => takeAnswer(x, target, planning, head),
    answer: unused,
    refusal: unused,
  };
}

function unused(): never {
  throw new Error('a raw plan takes every answer itself');
}

function takeAnswer(x: Exchange, target: Target, planning: OpaquePlanning, head: UpstreamHead): AnswerSink {
  const { status, headers } = head;
  const { base, meaning } = planning.passing;
  const good = (status >= 200 && status < 300) || status === 304;
  if (!good) return refusedAnswer((body) => refusalOf(target, base.passesFailures, { ...head, body }));
  // A network's sign-in page is no answer of an API that speaks JSON.
  const type = headerOf(headers, 'content-type') ?? '';
  if (meaning.jsonOnly && /^\s*text\/html\b/i.test(type))
    return refusedAnswer((body) => wrongTypeFault(target.provider.id, 'JSON', { ...head, body }));
  const isJson = /[/+]json\b/i.test(type);
  if (planning.work && isJson && status !== 304)
    return wholeAnswer((body) => {
      planning.held = { ...head, body, target };
    });
  return new PassedAnswer(x, meaning, planning.passed, head);
}

/** Whose fault an error answer is. What belongs to the client passes with its status, headers and bytes. */
function refusalOf({ provider }: Target, passesFailures: boolean, answer: UpstreamAnswer): Error {
  const { status, headers, body } = answer;
  const passing = without(answerHeadersOf(headers), 'content-type', 'content-length', 'content-encoding');
  const type = headerOf(headers, 'content-type') ?? 'application/json';
  const meaning = sheetMeaning(provider.sheet, status, body.toString('utf8'));
  if (passesFailures && status >= 500 && (meaning === undefined || meaning === 'overloaded'))
    return new UpstreamRefusal(status, type, body, { headers: passing });
  const refusal = readRefusal(provider, answer);
  return refusal instanceof UpstreamRefusal
    ? new UpstreamRefusal(status, refusal.contentType, body, { headers: passing })
    : refusal;
}
