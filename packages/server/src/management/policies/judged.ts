import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import { scanObject } from '@floe/wire/splice';
import { type JudgedBody, judgeAnswer, judgeRequest } from '../../guardrails/policies/judge-bodies.ts';
import type { Policies } from '../../guardrails/policies/policies.ts';
import type { JudgedRequest } from '../../guardrails/policies/request-subject.ts';
import type { Sample } from './kept-samples.ts';

/** Of what was kept nothing is shown; an answer that is none (an error, one that broke off) is not judged. */
export function quietly(sample: Sample, policies: Policies | null, modes: Modes) {
  const { request, answer } = withoutError(sample, policies, modes);
  return { request: { ...request, body: null }, answer: answer && { ...answer, body: null } };
}

function withoutError(sample: Sample, policies: Policies | null, modes: Modes) {
  try {
    return judged(sample, 0, policies, modes);
  } catch {
    return judged({ ...sample, answer: undefined }, 0, policies, modes);
  }
}

/** The mode that each rule has, by its name. */
export type Modes = ReadonlyMap<string, 'monitor' | 'enforce'>;

/** @throws Fault `invalid_request` for an answer that is none of its surface */
export function judged(sample: Sample, at: number, policies: Policies | null, modes: Modes) {
  const request = requestOf(sample);
  const passed = policies?.request ? judgeRequest(policies.request, request) : null;
  const view = viewOf(passed, request.body, modes);
  if (sample.answer === undefined || passed?.judgement.deniedBy) return { request: view, answer: null };
  const body = Buffer.from(JSON.stringify(sample.answer));
  const told = policies?.answer ? answered(sample, at, request, body, policies.answer) : null;
  return { request: view, answer: viewOf(told, body, modes) };
}

function answered(
  { surface }: Sample,
  at: number,
  request: JudgedRequest,
  body: Buffer,
  side: NonNullable<Policies['answer']>,
): JudgedBody {
  const param = `samples[${at}].answer`;
  if (surface === 'embeddings')
    throw new Fault('invalid_request', `${param}: vectors are not judged`, { param });
  return judgeAnswer(side, { request, dialect: surface, body, usage: null, id: 'sample' });
}

function requestOf({ request, surface, key, team, owner, end_user, metadata }: Sample): JudgedRequest {
  const body = Buffer.from(JSON.stringify(request));
  return {
    body,
    members: scanObject(body),
    model: typeof request['model'] === 'string' ? request['model'] : '',
    stream: request['stream'] === true,
    surface,
    key,
    team,
    owner,
    endUser: end_user,
    metadata: jsonOf(metadata),
  };
}

/** What came as JSON is JSON. */
function jsonOf(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}

function viewOf(done: JudgedBody | null, given: Buffer, modes: Modes) {
  const decisions = (done?.judgement.decisions ?? []).map(({ policy, outcome, because }) => ({
    policy: policy.name,
    mode: modes.get(policy.name) ?? ('monitor' as const),
    outcome,
    because,
  }));
  if (done === null) return { outcome: 'passes' as const, decisions, body: null };
  if (done.judgement.deniedBy) return { outcome: 'denied' as const, decisions, body: null };
  if (done.body === given) return { outcome: 'passes' as const, decisions, body: null };
  const body: unknown = JSON.parse(done.body.toString('utf8'));
  return { outcome: 'rewritten' as const, decisions, body };
}
