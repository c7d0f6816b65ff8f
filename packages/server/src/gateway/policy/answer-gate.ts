import { Fault } from '@floe/contract/faults';
import { denialOf } from '../../guardrails/policies/judge.ts';
import { judgeAnswer } from '../../guardrails/policies/judge-bodies.ts';
import { answerHeaders } from '../answer-headers.ts';
import type { Exchange } from '../exchange-record.ts';
import type { AnswerGate } from './answer-side.ts';
import { note, noteRewriting } from './request-gate.ts';

/** Tells a whole JSON answer, as far as the org's policies let it. @throws Fault `policy_denied` */
export function tellWhole(x: Exchange, body: Buffer | string): void {
  const told = judgedBody(x, body);
  x.client.answer(200, answerHeaders(x, 'application/json'), told);
}

/** A whole answer as the client may have it. @throws Fault `policy_denied` */
export function judgedBody(x: Exchange, body: Buffer | string): Buffer | string {
  return x.judged.gate === null ? body : judged(x, x.judged.gate, Buffer.from(body));
}

/** What is judged is what the client would read, whichever dialect the provider spoke. */
function judged(x: Exchange, { side, request }: AnswerGate, body: Buffer): Buffer {
  const { dialect } = x.surface;
  const told = judgeAnswer(side, { request, dialect, body, usage: x.answer.usage, id: x.id });
  const { judgement } = told;
  note(x, judgement);
  if (judgement.deniedBy) throw new Fault('policy_denied', denialOf(judgement.deniedBy));
  if (told.body === body) return body;
  noteRewriting(x, judgement);
  x.judged = { ...x.judged, isKeepable: false };
  return told.body;
}
