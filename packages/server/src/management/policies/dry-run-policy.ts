import { policyDryRun, policyDryRunAnswer } from '@floe/contract/api/policies';
import type { PolicyConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import type { BodyStore } from '../../gateway/bodies/body-store.ts';
import type { RunningOrgs } from '../running-org.ts';
import type { Trials } from '../trials/trials.ts';
import { readVerb, type Verb } from '../verb.ts';
import { keptSamples } from './kept-samples.ts';

/** Bodies judged in one trial. */
const AT_ONCE = 50;

/** What rules would do with given or kept bodies, were they all enforced. Nothing is sent, nothing is kept. */
export function dryRunPolicies(
  orgs: RunningOrgs,
  bodies: Pick<BodyStore, 'open'>,
  trials: Pick<Trials, 'run'>,
): Verb {
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
      const policies = body.policies ?? inForce(orgs, orgId);
      if (samples) {
        const judged = await trials.run(orgId, 'judgeSamples', { policies, samples });
        return { data: judged.map((one) => ({ id: null, ...one })), kept: null };
      }
      await trials.run(orgId, 'judgeSamples', { policies, samples: [] });
      const past = await keptSamples(reader, bodies, orgId, { ...rangeOf(kept, clock.now()) });
      const data: z.input<typeof policyDryRunAnswer>['data'] = [];
      for (let from = 0; from < past.samples.length; from += AT_ONCE) {
        const some = past.samples.slice(from, from + AT_ONCE);
        const judged = await trials.run(orgId, 'judgeKeptSamples', {
          policies,
          samples: some.map(({ sample }) => sample),
        });
        for (const [at, { id }] of some.entries()) {
          const one = judged[at];
          if (one) data.push({ id, ...one });
        }
      }
      const { read, hasMore } = past;
      return { data, kept: { read, judged: data.length, skipped: read - data.length, has_more: hasMore } };
    },
  });
}

function rangeOf(kept: z.output<typeof policyDryRun>['kept'], nowMs: number) {
  const { from = '', to, limit = 0 } = kept ?? {};
  return { from: Date.parse(from), to: to === undefined ? nowMs : Date.parse(to), limit };
}

/** The rules of an org that are in force. */
export function inForce(orgs: RunningOrgs, orgId: string): readonly PolicyConfig[] {
  return (orgs(orgId).config?.policies ?? []).filter(({ enabled }) => enabled);
}
