import { randomUUID } from 'node:crypto';
import { relayReplay, relayReplayAnswer } from '@floe/contract/api/relay-management';
import type { Verdict } from '@floe/relay/decide';
import type { Clock } from '../../core/clock.ts';
import type { JobHandle, Jobs } from '../../platform/jobs.ts';
import { type DecisionRow, keptDecisions } from '../../store/relay/decisions.ts';
import { jobView } from '../jobs/job-verbs.ts';
import type { Trials } from '../trials/trials.ts';
import { readVerb, type Verb } from '../verb.ts';
import type { RelayHost } from './relay-host.ts';
import { drafted } from './simulate-decision.ts';

const DAY_MS = 24 * 3_600_000;
/** Decisions judged again in one trial. */
const AT_ONCE = 50;
/** How long the request itself judges; what is left then is a job's, which has its own end. */
const ASKED_MS = 1_000;
const JOB_MS = 60_000;
const MOST_CHANGES = 200;

/** What a draft would have said about what agents asked in the last days. Bounded in number and time. */
export function replayRelay(
  { relays }: Pick<RelayHost, 'relays'>,
  jobs: Pick<Jobs, 'start'>,
  trials: Pick<Trials, 'run'>,
  askedMs = ASKED_MS,
): Verb {
  return readVerb({
    name: 'relay.replay',
    method: 'POST',
    path: '/api/management/relay/replay',
    scope: 'management',
    summary: 'Judge the decisions of the last days again by a draft of rules; differences are listed',
    body: relayReplay,
    answer: relayReplayAnswer,
    async run({ orgId, actor, clock, reader }, { body }) {
      const config = drafted(relays.of(orgId).relay, body);
      const rows = await keptDecisions(reader, orgId, clock.now() - body.days * DAY_MS, body.limit);
      const id = randomUUID();
      const judge: Judge = (some) => trials.run(orgId, 'replayDecisions', { id, config, rows: some });
      // A draft that cannot be used is refused also where there is nothing to judge.
      await judge([]);
      const replay = new Replay(rows, judge);
      await replay.judge(clock, askedMs);
      if (replay.isOver) return { ...replay.answer(), job: null };
      const soFar = replay.answer();
      const job = await jobs.start({ orgId, kind: 'relay.replay', by: actor.id }, async (handle) => {
        await replay.judge(clock, JOB_MS, handle);
        return JSON.parse(JSON.stringify({ ...replay.answer(), job: null }));
      });
      return { ...soFar, job: jobView(job, clock.now()) };
    },
  });
}

const STOPS = new Set(['deny', 'ask']);

type Judge = (
  rows: readonly DecisionRow[],
) => Promise<readonly ({ readonly would: Verdict['would']; readonly rule: string | null } | null)[]>;
type Judged = Awaited<ReturnType<Judge>>[number];

/** Decisions judged again, some at a time, for as long as there is time. */
class Replay {
  readonly #rows: readonly DecisionRow[];
  readonly #judgeSome: Judge;
  readonly #changes: { readonly row: DecisionRow; readonly after: NonNullable<Judged> }[] = [];
  #counts = { looked_at: 0, newly_denied: 0, newly_asked: 0, no_longer_stopped: 0, unchanged: 0 };
  #next = 0;
  #skipped = 0;

  constructor(rows: readonly DecisionRow[], judgeSome: Judge) {
    this.#rows = rows;
    this.#judgeSome = judgeSome;
  }

  get isOver(): boolean {
    return this.#next === this.#rows.length;
  }

  async judge(clock: Clock, withinMs: number, handle?: JobHandle): Promise<void> {
    const until = clock.monotonic() + withinMs;
    while (!this.isOver && clock.monotonic() <= until && !handle?.signal.aborted) {
      const rows = this.#rows.slice(this.#next, this.#next + AT_ONCE);
      const judged = await this.#judgeSome(rows);
      for (const [at, row] of rows.entries()) this.#count(row, judged[at] ?? null);
      this.#next += rows.length;
      handle?.progress(this.#next, this.#rows.length);
    }
    handle?.progress(this.#next, this.#rows.length);
  }

  #count(row: DecisionRow, after: Judged): void {
    if (after === null) {
      this.#skipped += 1;
      return;
    }
    this.#counts.looked_at += 1;
    // What would be: a draft is tried before it is enforced.
    if (after.would === row.would) {
      this.#counts.unchanged += 1;
      return;
    }
    if (after.would === 'deny') this.#counts.newly_denied += 1;
    else if (after.would === 'ask') this.#counts.newly_asked += 1;
    else if (STOPS.has(row.would)) this.#counts.no_longer_stopped += 1;
    this.#changes.push({ row, after });
  }

  answer() {
    const changes = this.#changes.slice(0, MOST_CHANGES).map(({ row, after }) => ({
      decision_id: row.id,
      created_at: new Date(row.created_at).toISOString(),
      what: row.what,
      before: decisionOf(row.would),
      after: after.would,
      rule: after.rule ?? row.rule,
    }));
    const left = this.#rows.length - this.#next;
    return { ...this.#counts, skipped: this.#skipped + left, changes };
  }
}

function decisionOf(text: string): Verdict['would'] {
  return text === 'allow' || text === 'deny' || text === 'ask' ? text : 'abstain';
}
