import type { PolicyConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { scanJsonObject } from '@floe/wire/json-edits';
import {
  type EvaluatedBody,
  evaluateRequestPolicies,
  evaluateResponsePolicies,
} from '../../guardrails/policies/evaluate-bodies.ts';
import { formatDenialMessage } from '../../guardrails/policies/evaluate-policies.ts';
import {
  type CompiledPolicies,
  compilePolicies,
  findPolicyError,
} from '../../guardrails/policies/policies.ts';
import type { PolicyRequest } from '../../guardrails/policies/policy-request-view.ts';
import type { PolicySample } from './stored-policy-samples.ts';

/** Request and response bodies, and the policies to evaluate against them. */
export interface PolicySamplesInput {
  readonly policies: readonly PolicyConfig[];
  readonly samples: readonly PolicySample[];
}

/** Evaluates policies against each sample. @throws Fault `invalid_request` for an invalid condition or sample */
export function evaluatePolicySamples({ policies: configs, samples }: PolicySamplesInput) {
  const { policies, modes } = compileAsEnforced(configs);
  return samples.map((sample, at) => evaluateSample(sample, at, policies, modes));
}

/**
 * Evaluates policies against stored bodies. The result contains nothing from the bodies.
 * @throws Fault `invalid_request` for an invalid condition
 */
export function evaluatePoliciesOnStoredBodies({ policies: configs, samples }: PolicySamplesInput) {
  const { policies, modes } = compileAsEnforced(configs);
  return samples.map((sample) => evaluateWithoutBodies(sample, policies, modes));
}

/**
 * Compiles the policies in mode `enforce`, and returns the configured mode of each.
 *
 * @throws Fault `invalid_request` for an invalid condition
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

/** A request, and the enabled policies to evaluate against it. */
export interface SimulateRequestPoliciesInput {
  readonly policies: readonly PolicyConfig[];
  /** Its `body` is a `Uint8Array`, because a thread receives a Buffer without its methods. */
  readonly request: Omit<PolicyRequest, 'body'> & { readonly body: Uint8Array };
}

/** Evaluates a request with each policy in its configured mode. */
export function simulateRequestPolicies({ policies, request }: SimulateRequestPoliciesInput) {
  const side = compilePolicies(policies)?.request;
  if (!side) return { decisions: [], denial: null, rewritten: null };
  const body = Buffer.from(request.body);
  const { evaluation, body: left } = evaluateRequestPolicies(side, { ...request, body });
  return {
    decisions: evaluation.decisions.map(({ outcome, reason }) => ({ outcome, reason })),
    denial: evaluation.deniedBy && formatDenialMessage(evaluation.deniedBy),
    rewritten: left === body ? null : left,
  };
}

/** Returns no content of stored bodies. Errors and incomplete responses are not evaluated. */
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

/** The configured mode of each policy, by name. */
type PolicyModes = ReadonlyMap<string, 'monitor' | 'enforce'>;

/** @throws Fault `invalid_request` if the response does not match its surface */
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
    ? evaluateResponsePolicies(policies.answer, {
        request,
        dialect: answerDialect(sample, at),
        body,
        usage: null,
        id: 'sample',
      })
    : null;
  return { request: view, answer: toEvaluationView(evaluatedAnswer, body, modes) };
}

/**
 * The dialect of a response sample. @throws Fault `invalid_request` if policies do not evaluate its surface
 */
function answerDialect({ surface }: PolicySample, at: number) {
  const param = `samples[${at}].answer`;
  if (surface === 'embeddings')
    throw new Fault(
      'invalid_request',
      `${param}: must be omitted for the surface "embeddings", because policies do not evaluate responses with embeddings`,
      { param },
    );
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
  const members = scanJsonObject(body);
  return {
    body,
    members,
    memberCount: members.memberCount,
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

/** Narrows a parsed body to a JSON object. Null for other values. The body was parsed from JSON. */
function toJsonObjectOrNull(value: unknown): JsonObject | null {
  return isJsonObject(value) ? value : null;
}

function toEvaluationView(evaluated: EvaluatedBody | null, given: Buffer, modes: PolicyModes) {
  const decisions = (evaluated?.evaluation.decisions ?? []).map(({ policy, outcome, reason }) => ({
    policy: policy.name,
    mode: modes.get(policy.name) ?? ('monitor' as const),
    outcome,
    reason,
  }));
  if (evaluated === null) return { outcome: 'passed' as const, decisions, body: null };
  if (evaluated.evaluation.deniedBy) return { outcome: 'denied' as const, decisions, body: null };
  if (evaluated.body === given) return { outcome: 'passed' as const, decisions, body: null };
  const body: unknown = JSON.parse(evaluated.body.toString('utf8'));
  return { outcome: 'redacted' as const, decisions, body };
}
