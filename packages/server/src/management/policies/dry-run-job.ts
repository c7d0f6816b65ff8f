import { job } from '@floe/contract/api/jobs';
import { policyDryRunJob, type policyDryRunResult } from '@floe/contract/api/policies';
import type * as z from 'zod';
import { daysTouched, localDays } from '../../core/local-days.ts';
import type { BodyStore } from '../../gateway/bodies/body-store.ts';
import type { JobHandle, Jobs } from '../../platform/jobs.ts';
import { countKeptBodies } from '../../store/kept-bodies.ts';
import type { Reader } from '../../store/ports.ts';
import type { Coverage } from '../analytics/analytics-host.ts';
import { momentIn } from '../analytics/zone-moments.ts';
import { jobView } from '../jobs/job-verbs.ts';
import type { RunningOrgs } from '../running-org.ts';
import { mustBeRange } from '../time-range.ts';
import type { Trials } from '../trials/trials.ts';
import { readVerb, type Verb } from '../verb.ts';
import { inForce } from './dry-run-policy.ts';
import type { judgedKeptSamples } from './judged-samples.ts';
import { keptSamples } from './kept-samples.ts';

/** Bodies of one read, judged in one trial; then the job looks whether it was cancelled. */
const AT_ONCE = 50;
const SAMPLES_SHOWN = 20;
const KEYS_SHOWN = 20;

export interface DryRunParts {
  readonly orgs: RunningOrgs;
  readonly bodies: Pick<BodyStore, 'open'>;
  readonly jobs: Jobs;
  readonly coverage: Coverage;
  readonly trials: Pick<Trials, 'run'>;
}

/** Judges what was kept of days by rules, were they all enforced, and adds up what they would have done. */
export function startPolicyDryRun({ orgs, bodies, jobs, coverage, trials }: DryRunParts): Verb {
  return readVerb({
    name: 'policies.start_dry_run',
    method: 'POST',
    path: '/api/management/policies/dry-run/jobs',
    scope: 'management',
    summary: 'Begin to judge the kept bodies of a range by a draft of policies, or by those in force',
    body: policyDryRunJob,
    answer: job,
    async run({ orgId, actor, reader, clock }, { body }) {
      const policies = body.policies ?? inForce(orgs, orgId);
      const judge: Judge = (samples) => trials.run(orgId, 'judgeKeptSamples', { policies, samples });
      // Rules that cannot be used are refused before the job begins.
      await judge([]);
      const timezone = coverage.zoneOf(orgId);
      const now = clock.now();
      const from = momentIn(timezone, body.from);
      const to = body.to === undefined ? now : momentIn(timezone, body.to);
      mustBeRange(from, to);
      const run = new DryRun({ judge, reader, bodies, orgId, timezone, from, to, limit: body.limit });
      const row = await jobs.start({ orgId, kind: 'policies.dry-run', by: actor.id }, (handle) =>
        run.go(handle),
      );
      return jobView(row, now);
    },
  });
}

type Sample = Parameters<typeof judgedKeptSamples>[0]['samples'][number];
type Judged = ReturnType<typeof judgedKeptSamples>[number];
type Judge = (samples: readonly Sample[]) => Promise<readonly Judged[]>;

interface DryRunRequest {
  readonly judge: Judge;
  readonly reader: Reader;
  readonly bodies: Pick<BodyStore, 'open'>;
  readonly orgId: string;
  readonly timezone: string;
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

type Result = z.input<typeof policyDryRunResult>;

/** One walk over kept bodies, the newest first. */
class DryRun {
  readonly #asked: DryRunRequest;
  readonly #keys = new Map<string, number>();
  readonly #days = new Map<string, number>();
  readonly #samples: Result['samples'] = [];
  readonly #counts = { checked: 0, skipped: 0, matched: 0, denied: 0, rewritten: 0, unjudged: 0 };

  constructor(asked: DryRunRequest) {
    this.#asked = asked;
  }

  async go({ signal, progress }: JobHandle): Promise<Result> {
    const { reader, bodies, orgId, from, to, limit } = this.#asked;
    const total = await countKeptBodies(reader, orgId, { from, to }, limit + 1);
    const most = Math.min(total, limit);
    let [done, before]: [number, Awaited<ReturnType<typeof keptSamples>>['last']] = [0, null];
    progress(0, most);
    while (done < most && !signal.aborted) {
      const page = await keptSamples(reader, bodies, orgId, {
        from,
        to,
        before,
        limit: Math.min(AT_ONCE, most - done),
      });
      if (page.read === 0) break;
      const judged = await this.#asked.judge(page.samples.map(({ sample }) => sample));
      for (const [n, { id, at, sample }] of page.samples.entries()) {
        const one = judged[n];
        if (one) this.#count(id, at, sample.key, one);
      }
      this.#counts.skipped += page.read - page.samples.length;
      done += page.read;
      before = page.last;
      progress(done, most);
    }
    return this.#result(total > limit);
  }

  #count(id: string, at: number, key: string, { request, answer }: Judged): void {
    const { timezone } = this.#asked;
    const counts = this.#counts;
    counts.checked += 1;
    const decisions = [...request.decisions, ...(answer?.decisions ?? [])];
    if (decisions.some(({ outcome }) => outcome === 'unjudged')) counts.unjudged += 1;
    const [first] = decisions.filter(({ outcome }) => outcome !== 'unjudged');
    if (!first) return;
    counts.matched += 1;
    const outcomes = [request.outcome, answer?.outcome];
    if (outcomes.includes('denied')) counts.denied += 1;
    else if (outcomes.includes('rewritten')) counts.rewritten += 1;
    this.#keys.set(key, (this.#keys.get(key) ?? 0) + 1);
    const day = dateIn(timezone, at);
    this.#days.set(day, (this.#days.get(day) ?? 0) + 1);
    if (this.#samples.length < SAMPLES_SHOWN)
      this.#samples.push({
        id,
        created_at: new Date(at).toISOString(),
        key,
        policy: first.policy,
        outcome: first.outcome,
        because: first.because,
      });
  }

  #result(more: boolean): Result {
    const { from, to, timezone } = this.#asked;
    const byCount = [...this.#keys].sort(([, one], [, other]) => other - one);
    return {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      timezone,
      ...this.#counts,
      more,
      key_count: byCount.length,
      keys: byCount.slice(0, KEYS_SHOWN).map(([name, matched]) => ({ name, matched })),
      days: daysTouched(timezone, from, to)
        .map(({ reading }) => dateOf(reading))
        .map((date) => ({ date, matched: this.#days.get(date) ?? 0 })),
      samples: this.#samples,
    };
  }
}

function dateIn(timezone: string, at: number): string {
  return dateOf(at + localDays(timezone).offsetAt(at));
}

function dateOf(reading: number): string {
  return new Date(reading).toISOString().slice(0, 10);
}
