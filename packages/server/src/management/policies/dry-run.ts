import { policyDryRun, policyDryRunAnswer } from '@floe/contract/api/policies';
import type { PolicyConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import { scanObject } from '@floe/wire/splice';
import type * as z from 'zod';
import type { BodyStore } from '../../gateway/bodies/body-store.ts';
import { type JudgedBody, judgeAnswer, judgeRequest } from '../../guardrails/policies/judge-bodies.ts';
import { compilePolicies, type Policies, policyProblem } from '../../guardrails/policies/policies.ts';
import type { JudgedRequest } from '../../guardrails/policies/request-subject.ts';
import type { RunningOrgs } from '../running-org.ts';
import { readVerb, type Verb } from '../verb.ts';
import { keptSamples, type Sample } from './kept-samples.ts';

/** What rules would do with given or kept bodies, were they all enforced. Nothing is sent, nothing is kept. */
export function dryRunPolicies(orgs: RunningOrgs, bodies: Pick<BodyStore, 'open'>): Verb {
  return readVerb({
    name: 'policies.dry_run',
    method: 'POST',
    path: '/api/management/policies/dry-run',
    scope: 'management',
    summary: 'Judge samples, or kept bodies of the past, by a draft of policies or by those in force',
    body: policyDryRun,
    answer: policyDryRunAnswer,
    async run({ orgId, reader, clock }, { body }) {
      const { samples, kept } = body;
      if ((samples === undefined) === (kept === undefined))
        throw new Fault('invalid_request', 'Give either `samples` or `kept`.', { param: 'samples' });
      const inForce = (orgs(orgId).config?.policies ?? []).filter(({ enabled }) => enabled);
      const configs: readonly PolicyConfig[] = body.policies ?? inForce;
      for (const [at, config] of configs.entries()) {
        const problem = policyProblem(config);
        const param = `policies[${at}].when`;
        if (problem !== null) throw new Fault('invalid_request', `${param}: ${problem}`, { param });
      }
      const modes = new Map(configs.map(({ name, mode }) => [name, mode]));
      const policies = compilePolicies(configs.map((config) => ({ ...config, mode: 'enforce' as const })));
      if (samples)
        return {
          data: samples.map((sample, at) => ({ id: null, ...judged(sample, at, policies, modes) })),
          kept: null,
        };
      const past = await keptSamples(reader, bodies, orgId, { ...rangeOf(kept, clock.now()) });
      const data = past.samples.map(({ id, sample }) => ({ id, ...quietly(sample, policies, modes) }));
      const { read, hasMore } = past;
      return { data, kept: { read, judged: data.length, skipped: read - data.length, has_more: hasMore } };
    },
  });
}

function rangeOf(kept: z.output<typeof policyDryRun>['kept'], nowMs: number) {
  const { from = '', to, limit = 0 } = kept ?? {};
  return { from: Date.parse(from), to: to === undefined ? nowMs : Date.parse(to), limit };
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

type Modes = ReadonlyMap<string, 'monitor' | 'enforce'>;

function judged(sample: Sample, at: number, policies: Policies | null, modes: Modes) {
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
