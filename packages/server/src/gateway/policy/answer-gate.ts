import { Fault } from '@floe/contract/faults';
import type { Answer } from '@floe/wire/answer';
import { UPSTREAM_DIALECTS } from '@floe/wire/dialects';
import { AnswerSubject, type JudgedAnswer } from '../../guardrails/policies/answer-subject.ts';
import { findInJson, redactJson } from '../../guardrails/policies/detect/json-texts.ts';
import { denialOf, judge } from '../../guardrails/policies/judge.ts';
import type { PolicySide } from '../../guardrails/policies/policies.ts';
import type { JudgedRequest } from '../../guardrails/policies/request-subject.ts';
import { answerHeaders } from '../answer-headers.ts';
import type { Exchange } from '../exchange-record.ts';
import { parse } from '../upstream-json.ts';
import { note, noteRewriting } from './request-gate.ts';

/** By which rules the answer of an exchange is judged, and what it answers. */
export interface AnswerGate {
  readonly side: PolicySide;
  readonly request: JudgedRequest;
}

/** Tells a whole JSON answer, as far as the org's policies let it. @throws Fault `policy_denied` */
export function tellWhole(x: Exchange, body: Buffer | string): void {
  const told = judgedBody(x, body);
  x.client.answer(200, answerHeaders(x, 'application/json'), told);
}

/** A whole answer as the client may have it. @throws Fault `policy_denied` */
export function judgedBody(x: Exchange, body: Buffer | string): Buffer | string {
  return x.answerGate === null ? body : judged(x, x.answerGate, String(body));
}

/** What is judged is what the client would read, whichever dialect the provider spoke. */
function judged(x: Exchange, { side, request }: AnswerGate, json: string): string {
  const answer = UPSTREAM_DIALECTS[x.surface.dialect].readAnswer(parse(Buffer.from(json)), { id: x.id });
  const subject = new AnswerSubject(judgedAnswer(x, answer), request, side, () =>
    findInJson(json, side.detects),
  );
  const judgement = judge(side, subject);
  note(x, judgement);
  if (judgement.deniedBy) throw new Fault('policy_denied', denialOf(judgement.deniedBy));
  if (judgement.redact.size === 0) return json;
  noteRewriting(x, judgement);
  x.isKeepable = false;
  return redactJson(json, judgement.redact).json;
}

function judgedAnswer(x: Exchange, { blocks, finish, usage }: Answer): JudgedAnswer {
  return {
    text: blocks.map(({ text }) => text).join('\n'),
    finish: finish?.raw ?? '',
    tools: blocks.flatMap((block) => (block.kind === 'tool' ? [block.name] : [])),
    usage: usage ?? x.usage,
  };
}
