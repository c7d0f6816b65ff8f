import { policyDryRun, policyDryRunAnswer } from '@floe/contract/api/policies';
import type { PolicyConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import type { BodyStore } from '../../gateway/bodies/body-store.ts';
import { compilePolicies, policyProblem } from '../../guardrails/policies/policies.ts';
import type { RunningOrgs } from '../running-org.ts';
import { readVerb, type Verb } from '../verb.ts';
import { judged, quietly } from './judged.ts';
import { keptSamples } from './kept-samples.ts';

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
      const { policies, modes } = triedPolicies(body.policies ?? inForce(orgs, orgId));
      if (samples)
        return {
          data: await inTurns(samples, (sample, at) => ({
            id: null,
            ...judged(sample, at, policies, modes),
          })),
          kept: null,
        };
      const past = await keptSamples(reader, bodies, orgId, { ...rangeOf(kept, clock.now()) });
      const data = await inTurns(past.samples, ({ id, sample }) => ({
        id,
        ...quietly(sample, policies, modes),
      }));
      const { read, hasMore } = past;
      return { data, kept: { read, judged: data.length, skipped: read - data.length, has_more: hasMore } };
    },
  });
}

/** Between two bodies everybody else has their turn: one may take long to judge, and there may be hundreds. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  judge: (item: Item, at: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [at, item] of items.entries()) {
    results.push(judge(item, at));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return results;
}

function rangeOf(kept: z.output<typeof policyDryRun>['kept'], nowMs: number) {
  const { from = '', to, limit = 0 } = kept ?? {};
  return { from: Date.parse(from), to: to === undefined ? nowMs : Date.parse(to), limit };
}

/** The rules of an org that are in force. */
export function inForce(orgs: RunningOrgs, orgId: string): readonly PolicyConfig[] {
  return (orgs(orgId).config?.policies ?? []).filter(({ enabled }) => enabled);
}

/**
 * Rules as if all were enforced, and the mode that each has.
 *
 * @throws Fault `invalid_request` for a condition that cannot be read
 */
export function triedPolicies(configs: readonly PolicyConfig[]) {
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
