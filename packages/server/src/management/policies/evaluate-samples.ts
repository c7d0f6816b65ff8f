import type { PolicyConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import { scanObject } from '@floe/wire/json-edits';
import {
  type EvaluatedBody,
  evaluateAnswerPolicies,
  evaluateRequestPolicies,
} from '../../guardrails/policies/evaluate-bodies.ts';
import { denialMessage } from '../../guardrails/policies/evaluate-policies.ts';
import {
  type CompiledPolicies,
  compilePolicies,
  findPolicyError,
} from '../../guardrails/policies/policies.ts';
import type { PolicyRequest } from '../../guardrails/policies/request-subject.ts';
import type { PolicySample } from './stored-samples.ts';

/** Bodies, and the rules to try on them. */
export interface PolicySamplesInput {
  readonly policies: readonly PolicyConfig[];
  readonly samples: readonly PolicySample[];
}

/** What the rules would do with each. @throws Fault `invalid_request` for a condition or a sample that cannot be read */
export function evaluateSamples({ policies: configs, samples }: PolicySamplesInput) {
  const { policies, modes } = compileAsEnforced(configs);
  return samples.map((sample, at) => evaluateSample(sample, at, policies, modes));
}

/** The same about bodies that were kept, without showing them. @throws Fault `invalid_request` for a condition */
export function evaluateStoredSamples({ policies: configs, samples }: PolicySamplesInput) {
  const { policies, modes } = compileAsEnforced(configs);
  return samples.map((sample) => evaluateWithoutBodies(sample, policies, modes));
}

/**
 * Rules as if all were enforced, and the mode that each has.
 *
 * @throws Fault `invalid_request` for a condition that cannot be read
 */
function compileAsEnforced(configs: readonly PolicyConfig[]) {
  for (const [at, config] of configs.entries()) {
    const problem = findPolicyError(config);
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
export interface PolicyRequestInput {
  readonly policies: readonly PolicyConfig[];
  /** Its `body` is bytes; a thread receives them without the methods of a Buffer. */
  readonly request: Omit<PolicyRequest, 'body'> & { readonly body: Uint8Array };
}

/** What the rules do with a request, each in its own mode. */
export function evaluatePolicyRequest({ policies, request }: PolicyRequestInput) {
  const side = compilePolicies(policies)?.request;
  if (!side) return { decisions: [], denial: null, rewritten: null };
  const body = Buffer.from(request.body);
  const { evaluation, body: left } = evaluateRequestPolicies(side, { ...request, body });
  return {
    decisions: evaluation.decisions.map(({ outcome, because }) => ({ outcome, because })),
    denial: evaluation.deniedBy && denialMessage(evaluation.deniedBy),
    rewritten: left === body ? null : left,
  };
}

/** Of what was kept nothing is shown; an answer that is none (an error, one that broke off) is not judged. */
function evaluateWithoutBodies(sample: PolicySample, policies: CompiledPolicies | null, modes: PolicyModes) {
  const { request, answer } = evaluateTolerantly(sample, policies, modes);
  return { request: { ...request, body: null }, answer: answer && { ...answer, body: null } };
}

function evaluateTolerantly(sample: PolicySample, policies: CompiledPolicies | null, modes: PolicyModes) {
  try {
    return evaluateSample(sample, 0, policies, modes);
  } catch {
    return evaluateSample({ ...sample, answer: undefined }, 0, policies, modes);
  }
}

/** The mode that each rule has, by its name. */
type PolicyModes = ReadonlyMap<string, 'monitor' | 'enforce'>;

/** @throws Fault `invalid_request` for an answer that is none of its surface */
function evaluateSample(
  sample: PolicySample,
  at: number,
  policies: CompiledPolicies | null,
  modes: PolicyModes,
) {
  const request = toPolicyRequest(sample);
  const evaluatedRequest = policies?.request ? evaluateRequestPolicies(policies.request, request) : null;
  const view = toEvaluationView(evaluatedRequest, request.body, modes);
  if (sample.answer === undefined || evaluatedRequest?.evaluation.deniedBy)
    return { request: view, answer: null };
  const body = Buffer.from(JSON.stringify(sample.answer));
  const evaluatedAnswer = policies?.answer
    ? evaluateAnswerPolicies(policies.answer, {
        request,
        dialect: answerDialect(sample, at),
        body,
        usage: null,
        id: 'sample',
      })
    : null;
  return { request: view, answer: toEvaluationView(evaluatedAnswer, body, modes) };
}

/** Of an answer. @throws Fault `invalid_request` for one that is not judged */
function answerDialect({ surface }: PolicySample, at: number) {
  const param = `samples[${at}].answer`;
  if (surface === 'embeddings')
    throw new Fault('invalid_request', `${param}: policies do not evaluate embeddings`, { param });
  return surface;
}

function toPolicyRequest({
  request,
  surface,
  key,
  team,
  owner,
  end_user,
  metadata,
}: PolicySample): PolicyRequest {
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
    metadata: toJsonObjectOrNull(metadata),
  };
}

/** What came as JSON is JSON. */
function toJsonObjectOrNull(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}

function toEvaluationView(evaluated: EvaluatedBody | null, given: Buffer, modes: PolicyModes) {
  const decisions = (evaluated?.evaluation.decisions ?? []).map(({ policy, outcome, because }) => ({
    policy: policy.name,
    mode: modes.get(policy.name) ?? ('monitor' as const),
    outcome,
    because,
  }));
  if (evaluated === null) return { outcome: 'passed' as const, decisions, body: null };
  if (evaluated.evaluation.deniedBy) return { outcome: 'denied' as const, decisions, body: null };
  if (evaluated.body === given) return { outcome: 'passed' as const, decisions, body: null };
  const body: unknown = JSON.parse(evaluated.body.toString('utf8'));
  return { outcome: 'redacted' as const, decisions, body };
}
