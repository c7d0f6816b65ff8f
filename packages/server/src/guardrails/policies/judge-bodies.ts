import { findInJson, redactJson } from '@floe/conditions/detect/json-texts';
import { UPSTREAM_DIALECTS } from '@floe/wire/dialects';
import type { Usage } from '@floe/wire/usage';
import { AnswerSubject } from './answer-subject.ts';
import { type Judgement, judge } from './judge.ts';
import type { PolicySide } from './policies.ts';
import { type JudgedRequest, RequestSubject } from './request-subject.ts';

/** What rules decided about a body, and the body as it may go on: the one given, unless they took something out. */
export interface JudgedBody {
  readonly judgement: Judgement;
  readonly body: Buffer;
}

export function judgeRequest(side: PolicySide, request: JudgedRequest): JudgedBody {
  const judgement = judge(side, new RequestSubject(request, side));
  return { judgement, body: cleaned(request.body, judgement) };
}

export interface WholeAnswer {
  readonly request: JudgedRequest;
  readonly dialect: 'chat' | 'responses' | 'messages';
  /** Well-formed JSON, in the client's dialect. */
  readonly body: Buffer;
  /** Where the answer itself shows none. */
  readonly usage: Usage | null;
  /** Names the exchange. */
  readonly id: string;
}

/** Judges a whole answer as its client would read it. */
export function judgeAnswer(
  side: PolicySide,
  { request, dialect, body, usage, id }: WholeAnswer,
): JudgedBody {
  const json = body.toString('utf8');
  const { blocks, finish, usage: told } = UPSTREAM_DIALECTS[dialect].readAnswer(JSON.parse(json), { id });
  const answer = {
    text: blocks.map(({ text }) => text).join('\n'),
    finish: finish?.raw ?? '',
    tools: blocks.flatMap((block) => (block.kind === 'tool' ? [block.name] : [])),
    usage: told ?? usage,
  };
  const judgement = judge(
    side,
    new AnswerSubject(answer, request, side, () => findInJson(json, side.detects)),
  );
  return { judgement, body: cleaned(body, judgement) };
}

function cleaned(body: Buffer, { deniedBy, redact }: Judgement): Buffer {
  if (deniedBy || redact.size === 0) return body;
  return Buffer.from(redactJson(body.toString('utf8'), redact).json);
}
