import type { PolicyConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import { scanObject } from '@floe/wire/splice';
import { denialOf } from '../../guardrails/policies/judge.ts';
import { type JudgedBody, judgeAnswer, judgeRequest } from '../../guardrails/policies/judge-bodies.ts';
import { compilePolicies, type Policies, policyProblem } from '../../guardrails/policies/policies.ts';
import type { JudgedRequest } from '../../guardrails/policies/request-subject.ts';
import type { Sample } from './kept-samples.ts';

/** Bodies, and the rules to try on them. */
export interface TriedSamples {
  readonly policies: readonly PolicyConfig[];
  readonly samples: readonly Sample[];
}

/** What the rules would do with each. @throws Fault `invalid_request` for a condition or a sample that cannot be read */
export function judgedSamples({ policies: configs, samples }: TriedSamples) {
  const { policies, modes } = triedPolicies(configs);
  return samples.map((sample, at) => judged(sample, at, policies, modes));
}

/** The same about bodies that were kept, without showing them. @throws Fault `invalid_request` for a condition */
export function judgedKeptSamples({ policies: configs, samples }: TriedSamples) {
  const { policies, modes } = triedPolicies(configs);
  return samples.map((sample) => quietly(sample, policies, modes));
}

/**
 * Rules as if all were enforced, and the mode that each has.
 *
 * @throws Fault `invalid_request` for a condition that cannot be read
 */
function triedPolicies(configs: readonly PolicyConfig[]) {
  for (const [at, config] of configs.entries()) {
    const problem = policyProblem(config);
    const param = `policies[${at}].when`;
    if (problem !== null) throw new Fault('invalid_request', `${param}: ${problem}`, { param });
  }
  const modes = new Map(configs.map(({ name, mode }) => [name, mode]));
  return {
    policies: compilePolicies(configs.map((config) => ({ ...config, mode: 'enforce' as const }))),
    modes,
  };
}

/** A request, and the rules that are in force. */
export interface RequestUnderPolicies {
  readonly policies: readonly PolicyConfig[];
  /** Its `body` is bytes; a thread receives them without the methods of a Buffer. */
  readonly request: Omit<JudgedRequest, 'body'> & { readonly body: Uint8Array };
}

/** What the rules do with a request, each in its own mode. */
export function requestUnderPolicies({ policies, request }: RequestUnderPolicies) {
  const side = compilePolicies(policies)?.request;
  if (!side) return { decisions: [], denial: null, rewritten: null };
  const body = Buffer.from(request.body);
  const { judgement, body: left } = judgeRequest(side, { ...request, body });
  return {
    decisions: judgement.decisions.map(({ outcome, because }) => ({ outcome, because })),
    denial: judgement.deniedBy && denialOf(judgement.deniedBy),
    rewritten: left === body ? null : left,
  };
}

/** Of what was kept nothing is shown; an answer that is none (an error, one that broke off) is not judged. */
function quietly(sample: Sample, policies: Policies | null, modes: Modes) {
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
type Modes = ReadonlyMap<string, 'monitor' | 'enforce'>;

/** @throws Fault `invalid_request` for an answer that is none of its surface */
function judged(sample: Sample, at: number, policies: Policies | null, modes: Modes) {
  const request = requestOf(sample);
  const passed = policies?.request ? judgeRequest(policies.request, request) : null;
  const view = viewOf(passed, request.body, modes);
  if (sample.answer === undefined || passed?.judgement.deniedBy) return { request: view, answer: null };
  const body = Buffer.from(JSON.stringify(sample.answer));
  const told = policies?.answer
    ? judgeAnswer(policies.answer, {
        request,
        dialect: dialectOf(sample, at),
        body,
        usage: null,
        id: 'sample',
      })
    : null;
  return { request: view, answer: viewOf(told, body, modes) };
}

/** Of an answer. @throws Fault `invalid_request` for one that is not judged */
function dialectOf({ surface }: Sample, at: number) {
  const param = `samples[${at}].answer`;
  if (surface === 'embeddings')
    throw new Fault('invalid_request', `${param}: vectors are not judged`, { param });
  return surface;
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
