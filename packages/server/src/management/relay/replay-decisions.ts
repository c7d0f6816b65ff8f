import { randomUUID } from 'node:crypto';
import { relayReplayInput, relayReplayResult } from '@floe/contract/api/relay-management';
import type { RelayEvaluation } from '@floe/relay/evaluate-event';
import type { Clock } from '../../core/clock.ts';
import type { BackgroundJobHandle, BackgroundJobRunner } from '../../platform/background-job-runner.ts';
import {
  listRelayDecisionEvents,
  listRelayDecisionsSince,
  type ReplayableDecisionRow,
} from '../../store/relay/relay-decisions.ts';
import type { EvaluationPool } from '../evaluation/evaluation-pool.ts';
import { toBackgroundJobResource } from '../jobs/background-job-operations.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import type { RelayDependencies } from './relay-dependencies.ts';
import { applyRelayDraft } from './simulate-decision.ts';

const DAY_MS = 24 * 3_600_000;
/** Number of decisions per evaluation task. */
const DECISIONS_PER_TASK = 50;
/** Time budget of the request itself in milliseconds. A job continues with the remaining decisions. */
const REQUEST_BUDGET_MS = 1_000;
const JOB_BUDGET_MS = 60_000;
const MAX_LISTED_CHANGES = 200;

/**
 * Defines the operation that evaluates draft rules on recent agent events. The number of events and
 * the time are limited.
 */
export function defineReplayDecisionsOperation(
  { orgRelays }: Pick<RelayDependencies, 'orgRelays'>,
  jobRunner: Pick<BackgroundJobRunner, 'start'>,
  evaluationPool: Pick<EvaluationPool, 'run'>,
  requestBudgetMs = REQUEST_BUDGET_MS,
): Operation {
  return defineReadOperation({
    name: 'relay.replay',
    method: 'POST',
    path: '/api/management/relay/replay',
    scope: 'management',
    summary: 'Evaluate draft rules against recent decisions and list the differences',
    body: relayReplayInput,
    answer: relayReplayResult,
    async run({ orgId, actor, clock, reader }, { body }) {
      const config = applyRelayDraft(orgRelays.get(orgId).relay, body);
      const areInUse = body.rules === undefined;
      const rows = await listRelayDecisionsSince(reader, orgId, clock.now() - body.days * DAY_MS, body.limit);
      const id = randomUUID();
      const evaluate: EvaluateDecisions = async (some) => {
        const ids = some.map((row) => row.id);
        const events = await listRelayDecisionEvents(reader, orgId, ids);
        const stored = some.map((row) => ({ ...row, event_json: events.get(row.id) ?? null }));
        return evaluationPool.run(orgId, 'replayDecisions', { id, config, areInUse, rows: stored });
      };
      // Reject an invalid draft even if there are no decisions to evaluate.
      await evaluate([]);
      const replay = new DecisionReplay(rows, evaluate);
      await replay.run(clock, requestBudgetMs);
      if (replay.isFinished) return { ...replay.buildResult(), job: null };
      const soFar = replay.buildResult();
      const job = await jobRunner.start({ orgId, kind: 'relay.replay', by: actor.id }, async (handle) => {
        await replay.run(clock, JOB_BUDGET_MS, handle);
        return JSON.parse(JSON.stringify({ ...replay.buildResult(), job: null }));
      });
      return { ...soFar, job: toBackgroundJobResource(job, clock.now()) };
    },
  });
}

const BLOCKING_DECISIONS = new Set(['deny', 'ask']);

type EvaluateDecisions = (
  rows: readonly ReplayableDecisionRow[],
) => Promise<readonly ({ readonly would: RelayEvaluation['would']; readonly rule: string | null } | null)[]>;
type ReplayedDecision = Awaited<ReturnType<EvaluateDecisions>>[number];

/** Evaluates stored decisions again in batches, until its time budget ends. */
class DecisionReplay {
  readonly #rows: readonly ReplayableDecisionRow[];
  readonly #evaluate: EvaluateDecisions;
  readonly #changes: {
    readonly row: ReplayableDecisionRow;
    readonly after: NonNullable<ReplayedDecision>;
  }[] = [];
  #counts = { evaluated: 0, newly_denied: 0, newly_asked: 0, newly_allowed: 0, unchanged: 0 };
  #next = 0;
  #skipped = 0;

  constructor(rows: readonly ReplayableDecisionRow[], evaluate: EvaluateDecisions) {
    this.#rows = rows;
    this.#evaluate = evaluate;
  }

  get isFinished(): boolean {
    return this.#next === this.#rows.length;
  }

  async run(clock: Clock, withinMs: number, handle?: BackgroundJobHandle): Promise<void> {
    const until = clock.monotonic() + withinMs;
    while (!this.isFinished && clock.monotonic() <= until && !handle?.signal.aborted) {
      const rows = this.#rows.slice(this.#next, this.#next + DECISIONS_PER_TASK);
      const replayed = await this.#evaluate(rows);
      for (const [at, row] of rows.entries()) this.#addDecision(row, replayed[at] ?? null);
      this.#next += rows.length;
      handle?.progress(this.#next, this.#rows.length);
    }
    handle?.progress(this.#next, this.#rows.length);
  }

  #addDecision(row: ReplayableDecisionRow, after: ReplayedDecision): void {
    if (after === null) {
      this.#skipped += 1;
      return;
    }
    this.#counts.evaluated += 1;
    // Compare with the enforced decision, as if the draft were enforced.
    if (after.would === row.enforced_decision) {
      this.#counts.unchanged += 1;
      return;
    }
    if (after.would === 'deny') this.#counts.newly_denied += 1;
    else if (after.would === 'ask') this.#counts.newly_asked += 1;
    else if (BLOCKING_DECISIONS.has(row.enforced_decision)) this.#counts.newly_allowed += 1;
    this.#changes.push({ row, after });
  }

  buildResult() {
    const changes = this.#changes.slice(0, MAX_LISTED_CHANGES).map(({ row, after }) => ({
      decision_id: row.id,
      created_at: new Date(row.created_at).toISOString(),
      input_summary: row.input_summary,
      before: parseDecision(row.enforced_decision),
      after: after.would,
      rule: after.rule ?? row.rule,
    }));
    const left = this.#rows.length - this.#next;
    return { ...this.#counts, skipped: this.#skipped + left, changes };
  }
}

function parseDecision(text: string): RelayEvaluation['would'] {
  return text === 'allow' || text === 'deny' || text === 'ask' ? text : 'abstain';
}
