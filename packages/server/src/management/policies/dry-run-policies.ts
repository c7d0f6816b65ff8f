import { policyDryRunInput, policyDryRunResult } from '@floe/contract/api/policies';
import type { PolicyConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import type { BodyStore } from '../../gateway/bodies/body-store.ts';
import type { EvaluationPool } from '../evaluation/evaluation-pool.ts';
import type { GetLoadedOrg } from '../loaded-org.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { loadStoredPolicySamples } from './stored-policy-samples.ts';

/** Number of bodies per evaluation task. */
const SAMPLES_PER_TASK = 50;

/**
 * Defines the operation that evaluates policies, as if they were enforced, on given or stored
 * bodies. Sends and stores nothing.
 */
export function defineDryRunPoliciesOperation(
  getLoadedOrg: GetLoadedOrg,
  bodies: Pick<BodyStore, 'open'>,
  evaluationPool: Pick<EvaluationPool, 'run'>,
): Operation {
  return defineReadOperation({
    name: 'policies.dry_run',
    method: 'POST',
    path: '/api/management/policies/dry-run',
    scope: 'management',
    summary: 'Evaluate samples or stored bodies against draft policies or the policies in force',
    body: policyDryRunInput,
    answer: policyDryRunResult,
    async run({ orgId, reader, clock }, { body }) {
      const { samples, stored_bodies: kept } = body;
      if ((samples === undefined) === (kept === undefined))
        throw new Fault('invalid_request', 'Send exactly one of "samples" and "stored_bodies".', {
          param: 'samples',
        });
      const policies = body.policies ?? listEnabledPolicies(getLoadedOrg, orgId);
      if (samples) {
        const evaluations = await evaluationPool.run(orgId, 'judgeSamples', { policies, samples });
        return { data: evaluations.map((one) => ({ id: null, ...one })), stored_bodies: null };
      }
      await evaluationPool.run(orgId, 'judgeSamples', { policies, samples: [] });
      const storedSamples = await loadStoredPolicySamples(reader, bodies, orgId, {
        ...toSampleRange(kept, clock.now()),
      });
      const data: z.input<typeof policyDryRunResult>['data'] = [];
      for (let from = 0; from < storedSamples.samples.length; from += SAMPLES_PER_TASK) {
        const some = storedSamples.samples.slice(from, from + SAMPLES_PER_TASK);
        const evaluations = await evaluationPool.run(orgId, 'judgeKeptSamples', {
          policies,
          samples: some.map(({ sample }) => sample),
        });
        for (const [at, { id }] of some.entries()) {
          const one = evaluations[at];
          if (one) data.push({ id, ...one });
        }
      }
      const { read, hasMore } = storedSamples;
      return {
        data,
        stored_bodies: {
          read,
          evaluated: data.length,
          skipped: read - data.length,
          redacted_when_stored: storedSamples.samples.filter(({ isRedacted }) => isRedacted).length,
          has_more: hasMore,
        },
      };
    },
  });
}

function toSampleRange(kept: z.output<typeof policyDryRunInput>['stored_bodies'], nowMs: number) {
  const { from = '', to, limit = 0 } = kept ?? {};
  return { from: Date.parse(from), to: to === undefined ? nowMs : Date.parse(to), limit };
}

/** Returns an organization's enabled policies. */
export function listEnabledPolicies(getLoadedOrg: GetLoadedOrg, orgId: string): readonly PolicyConfig[] {
  return (getLoadedOrg(orgId).config?.policies ?? []).filter(({ enabled }) => enabled);
}
