import { backgroundJobResource } from '@floe/contract/api/background-jobs';
import { policyDryRunJobInput, type policyDryRunJobResult } from '@floe/contract/api/policies';
import type * as z from 'zod';
import { getTimeZoneCalendar, listLocalDays } from '../../core/time-zone-calendar.ts';
import type { BodyStore } from '../../gateway/bodies/body-store.ts';
import type { BackgroundJobHandle, BackgroundJobRunner } from '../../platform/background-job-runner.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import { countStoredBodies } from '../../store/stored-bodies.ts';
import type { AnalyticsDataRange } from '../analytics/analytics-data-range.ts';
import { parseLocalTimestamp } from '../analytics/local-timestamps.ts';
import type { EvaluationPool } from '../evaluation/evaluation-pool.ts';
import { toBackgroundJobResource } from '../jobs/background-job-operations.ts';
import type { GetLoadedOrg } from '../loaded-org.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { requireValidTimeRange } from '../time-range.ts';
import { listEnabledPolicies } from './dry-run-policies.ts';
import type { evaluatePoliciesOnStoredBodies } from './evaluate-policy-samples.ts';
import { loadStoredPolicySamples, type StoredPolicySample } from './stored-policy-samples.ts';

/** Number of bodies per evaluation task. The job checks for cancellation after each task. */
const SAMPLES_PER_TASK = 50;
const MAX_LISTED_SAMPLES = 20;
const MAX_LISTED_KEYS = 20;

/** The dependencies of the policy dry run. */
export interface PolicyDryRunDependencies {
  readonly getLoadedOrg: GetLoadedOrg;
  readonly bodies: Pick<BodyStore, 'open'>;
  readonly jobRunner: BackgroundJobRunner;
  readonly coverage: AnalyticsDataRange;
  readonly evaluationPool: Pick<EvaluationPool, 'run'>;
}

/**
 * Defines the operation that starts a policy dry run. It is a background job that evaluates
 * policies, as if they were enforced, on the stored bodies of several days, and counts the
 * outcomes.
 */
export function defineStartPolicyDryRunOperation({
  getLoadedOrg,
  bodies,
  jobRunner,
  coverage,
  evaluationPool,
}: PolicyDryRunDependencies): Operation {
  return defineReadOperation({
    name: 'policies.start_dry_run',
    method: 'POST',
    path: '/api/management/policies/dry-run/jobs',
    scope: 'management',
    summary:
      'Start a background job that evaluates the stored bodies of a time range against draft policies or the policies in force',
    body: policyDryRunJobInput,
    answer: backgroundJobResource,
    async run({ orgId, actor, reader, clock }, { body }) {
      const policies = body.policies ?? listEnabledPolicies(getLoadedOrg, orgId);
      const evaluate: EvaluateSamples = (samples) =>
        evaluationPool.run(orgId, 'judgeKeptSamples', { policies, samples });
      // Reject invalid policies before the job starts.
      await evaluate([]);
      const timezone = coverage.timezoneOf(orgId);
      const now = clock.now();
      const from = parseLocalTimestamp(timezone, body.from);
      const to = body.to === undefined ? now : parseLocalTimestamp(timezone, body.to);
      requireValidTimeRange(from, to);
      const dryRun = new StoredSampleDryRun({
        evaluate,
        reader,
        bodies,
        orgId,
        timezone,
        from,
        to,
        limit: body.limit,
      });
      const row = await jobRunner.start({ orgId, kind: 'policies.dry-run', by: actor.id }, (handle) =>
        dryRun.run(handle),
      );
      return toBackgroundJobResource(row, now);
    },
  });
}

type SampleInput = Parameters<typeof evaluatePoliciesOnStoredBodies>[0]['samples'][number];
type SampleEvaluation = ReturnType<typeof evaluatePoliciesOnStoredBodies>[number];
type EvaluateSamples = (samples: readonly SampleInput[]) => Promise<readonly SampleEvaluation[]>;

interface PolicyDryRunOptions {
  readonly evaluate: EvaluateSamples;
  readonly reader: DatabaseReader;
  readonly bodies: Pick<BodyStore, 'open'>;
  readonly orgId: string;
  readonly timezone: string;
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

type PolicyDryRunResult = z.input<typeof policyDryRunJobResult>;

/** Reads stored bodies once, newest first. */
class StoredSampleDryRun {
  readonly #options: PolicyDryRunOptions;
  readonly #keys = new Map<string, number>();
  readonly #days = new Map<string, number>();
  readonly #samples: PolicyDryRunResult['samples'] = [];
  readonly #counts = {
    ...{ evaluated: 0, skipped: 0, matched: 0, denied: 0, redacted: 0, not_evaluated: 0 },
    redacted_when_stored: 0,
  };

  constructor(options: PolicyDryRunOptions) {
    this.#options = options;
  }

  async run({ signal, progress }: BackgroundJobHandle): Promise<PolicyDryRunResult> {
    const { reader, bodies, orgId, from, to, limit } = this.#options;
    const total = await countStoredBodies(reader, orgId, { from, to }, limit + 1);
    const sampleCount = Math.min(total, limit);
    let [done, before]: [number, Awaited<ReturnType<typeof loadStoredPolicySamples>>['nextBefore']] = [
      0,
      null,
    ];
    progress(0, sampleCount);
    while (done < sampleCount && !signal.aborted) {
      const page = await loadStoredPolicySamples(reader, bodies, orgId, {
        from,
        to,
        before,
        limit: Math.min(SAMPLES_PER_TASK, sampleCount - done),
      });
      if (page.read === 0) break;
      const evaluations = await this.#options.evaluate(page.samples.map(({ sample }) => sample));
      for (const [n, stored] of page.samples.entries()) {
        const one = evaluations[n];
        if (one) this.#addEvaluation(stored, one);
      }
      this.#counts.skipped += page.read - page.samples.length;
      done += page.read;
      before = page.nextBefore;
      progress(done, sampleCount);
    }
    return this.#buildResult(total > limit);
  }

  #addEvaluation(stored: StoredPolicySample, { request, answer }: SampleEvaluation): void {
    const { id, at, isRedacted, sample } = stored;
    const { key } = sample;
    const { timezone } = this.#options;
    const counts = this.#counts;
    counts.evaluated += 1;
    if (isRedacted) counts.redacted_when_stored += 1;
    const decisions = [...request.decisions, ...(answer?.decisions ?? [])];
    if (decisions.some(({ outcome }) => outcome === 'not_evaluated')) counts.not_evaluated += 1;
    const [first] = decisions.filter(({ outcome }) => outcome !== 'not_evaluated');
    if (!first) return;
    counts.matched += 1;
    const outcomes = [request.outcome, answer?.outcome];
    if (outcomes.includes('denied')) counts.denied += 1;
    else if (outcomes.includes('redacted')) counts.redacted += 1;
    this.#keys.set(key, (this.#keys.get(key) ?? 0) + 1);
    const day = localDateOf(timezone, at);
    this.#days.set(day, (this.#days.get(day) ?? 0) + 1);
    if (this.#samples.length < MAX_LISTED_SAMPLES)
      this.#samples.push({
        id,
        created_at: new Date(at).toISOString(),
        key,
        policy: first.policy,
        outcome: first.outcome,
        reason: first.reason,
      });
  }

  #buildResult(more: boolean): PolicyDryRunResult {
    const { from, to, timezone } = this.#options;
    const byCount = [...this.#keys].sort(([, one], [, other]) => other - one);
    return {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      timezone,
      ...this.#counts,
      has_more: more,
      key_count: byCount.length,
      keys: byCount.slice(0, MAX_LISTED_KEYS).map(([name, matched]) => ({ name, matched })),
      days: listLocalDays(timezone, from, to)
        .map(({ localMidnight }) => isoDateOf(localMidnight))
        .map((date) => ({ date, matched: this.#days.get(date) ?? 0 })),
      samples: this.#samples,
    };
  }
}

function localDateOf(timezone: string, at: number): string {
  return isoDateOf(at + getTimeZoneCalendar(timezone).offsetAt(at));
}

function isoDateOf(reading: number): string {
  return new Date(reading).toISOString().slice(0, 10);
}
