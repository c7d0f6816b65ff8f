import { Fault } from '@floe/contract/faults';
import type { UpstreamHeaders } from '../../providers/transport.ts';
import { CollectedAnswer, wholeAnswer } from '../answer-sinks.ts';
import type { Target } from '../catalog.ts';
import type { Exchange } from '../exchange-record.ts';
import type { AnswerSink, Plan } from '../plan.ts';
import { headerOf, readRefusal, sheetMeaning, UpstreamRefusal } from '../upstream-fault.ts';
import { answerHeadersOf, without } from './headers.ts';
import { opaqueRequest, type Sending } from './opaque-request.ts';
import { type Passed, PassedAnswer } from './passed-answer.ts';
import type { Meaning } from './resource-path.ts';

/** An error body is read so far; what is longer is told by its start. */
const REFUSAL_BYTES = 1024 * 1024;

/** A JSON answer that is looked into before it goes on. */
export interface Held {
  readonly status: number;
  readonly headers: UpstreamHeaders;
  readonly body: Buffer;
}

export interface OpaquePlanning extends Sending {
  readonly meaning: Meaning;
  readonly passed: Passed;
  /** Takes a whole JSON answer instead of passing it; null lets every answer pass. */
  readonly hold: ((held: Held) => void) | null;
}

/** The plan for one attempt of a request that passes unread. Throws the `Fault` that makes a target ineligible. */
export function planOpaque(x: Exchange, target: Target, planning: OpaquePlanning): Plan {
  const { body } = planning.ask;
  if (body.kind === 'upload' && !body.upload.fresh)
    throw new Fault('unsupported_parameter', 'The body was on its way already and cannot be sent again.');
  return {
    request: opaqueRequest(x, target, planning),
    ...(body.kind === 'upload' && { upload: body.upload }),
    dropped: [],
    raw: (status, headers) => takeAnswer(x, target, planning, status, headers),
    answer: unused,
    refusal: unused,
  };
}

function unused(): never {
  throw new Error('a raw plan takes every answer itself');
}

function takeAnswer(
  x: Exchange,
  target: Target,
  { base, meaning, passed, hold }: OpaquePlanning,
  status: number,
  headers: UpstreamHeaders,
): AnswerSink {
  const good = (status >= 200 && status < 300) || status === 304;
  if (!good) {
    const judge = (body: Buffer) => {
      throw refusalOf(target, base.passesFailures, status, headers, body);
    };
    return new CollectedAnswer(REFUSAL_BYTES, judge, (body) =>
      refusalOf(target, base.passesFailures, status, headers, body),
    );
  }
  // A network's sign-in page is no answer of an API that speaks JSON.
  const type = headerOf(headers, 'content-type') ?? '';
  if (meaning.jsonOnly && /^\s*text\/html\b/i.test(type)) return notAnApi(target, status, type);
  const isJson = /[/+]json\b/i.test(type);
  if (hold && isJson && status !== 304) return wholeAnswer((body) => hold({ status, headers, body }));
  return new PassedAnswer(x, meaning, passed, status, headers);
}

function notAnApi({ provider }: Target, status: number, type: string): AnswerSink {
  const judge = (body: Buffer) =>
    new Fault('upstream_error', `${provider.id} answered ${status} with "${type}" instead of JSON.`, {
      upstreamStatus: status,
      upstreamBody: body.toString('utf8', 0, 2000),
    });
  return new CollectedAnswer(
    REFUSAL_BYTES,
    (body) => {
      throw judge(body);
    },
    judge,
  );
}

/** Whose fault an error answer is. What belongs to the client passes with its status, headers and bytes. */
function refusalOf(
  { provider }: Target,
  passesFailures: boolean,
  status: number,
  headers: UpstreamHeaders,
  body: Buffer,
): Error {
  const passing = without(answerHeadersOf(headers), 'content-type', 'content-length', 'content-encoding');
  const type = headerOf(headers, 'content-type') ?? 'application/json';
  const meaning = sheetMeaning(provider.sheet, status, body.toString('utf8'));
  if (passesFailures && status >= 500 && (meaning === undefined || meaning === 'overloaded'))
    return new UpstreamRefusal(status, type, body, { headers: passing });
  const refusal = readRefusal(provider.id, provider.sheet, status, headers, body);
  return refusal instanceof UpstreamRefusal
    ? new UpstreamRefusal(status, refusal.contentType, body, { headers: passing })
    : refusal;
}
