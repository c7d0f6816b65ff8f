import type { RelayDecision, RelayEvent } from '@floe/contract/api/relay';
import type { RelayConfig } from '@floe/contract/config';
import type { Verdict } from '@floe/relay/decide';
import { repositoryName } from '@floe/relay/rules/who';
import type { Clock } from '../core/clock.ts';
import { newId } from '../core/ids.ts';
import { tellLive } from '../store/live-events.ts';
import type { Database, Writer } from '../store/ports.ts';
import {
  type ApprovalRow,
  approvalById,
  approvalsFor,
  insertApproval,
  useApproval,
} from '../store/relay/approvals.ts';
import type { Asker } from './asker.ts';
import { keptEvent } from './kept-event.ts';

const MINUTE_MS = 60_000;
/** How often a waiting client's question is looked up: another process may have taken the answer. */
const LOOK_MS = 1_000;
export const MOST_WAIT_SECONDS = 25;

interface Question {
  readonly asker: Asker;
  readonly event: RelayEvent;
  readonly verdict: Verdict;
  /** `inputHash` of the event. */
  readonly input: string;
  readonly decisionId: string;
  readonly config: RelayConfig;
}

export type Asked =
  | { readonly granted: true; readonly rules: ReadonlySet<string> }
  | { readonly granted: false; readonly approval: NonNullable<RelayDecision['approval']> };

export interface ApprovalParts {
  readonly database: Pick<Database, 'read' | 'transaction'>;
  readonly clock: Clock;
  /** The installation's base URL. */
  readonly baseUrl: () => string;
}

/** Questions to a person: asked when a rule says `ask`, answered in the console, found again when the agent tries again. */
export class Approvals {
  readonly #parts: ApprovalParts;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(parts: ApprovalParts) {
    this.#parts = parts;
  }

  /** Whether somebody agreed already; else the question that waits, which is asked once. */
  async ask({ asker, event, verdict, input, decisionId, config }: Question): Promise<Asked> {
    const { database, clock } = this.#parts;
    const nowMs = clock.now();
    const sessionId = event.session_id ?? null;
    const rules = verdict.hits
      .filter(({ decision, mode }) => decision === 'ask' && mode === 'enforce')
      .map(({ rule }) => rule);
    const asked = { orgId: asker.orgId, sessionId, keyId: asker.keyId, nowMs };
    const known = await approvalsFor(database.read, asked);
    const granted = await this.#granted(known, rules, input, nowMs);
    if (rules.every((rule) => granted.has(rule))) return { granted: true, rules: granted };
    const waits = waitingIn(known, input);
    const row =
      waits ??
      (await database.transaction(async (writer) => {
        // Others may have asked the same since: transactions are serialised, so looking again here is enough.
        const others = waitingIn(await approvalsFor(writer, asked), input);
        if (others) return others;
        const first = rowOf({ asker, event, verdict, input, decisionId, config }, rules, nowMs);
        await insertApproval(writer, first);
        await tellOfApproval(writer, first, nowMs);
        return first;
      }));
    const url = `${this.#parts.baseUrl()}/o/${asker.orgId}/relay/approvals/${row.id}`;
    return {
      granted: false,
      approval: { id: row.id, url, expires_at: new Date(row.expires_at).toISOString() },
    };
  }

  /** Rules that a person said yes to: for this very event once, or for the session. */
  async #granted(known: readonly ApprovalRow[], wanted: readonly string[], input: string, nowMs: number) {
    const granted = new Set<string>();
    for (const row of known) {
      if (row.state !== 'allowed') continue;
      const rules = rulesOf(row).filter((rule) => wanted.includes(rule) && !granted.has(rule));
      if (rules.length === 0) continue;
      if (row.scope === 'once') {
        if (row.input_hash !== input || row.used_at !== null) continue;
        const isFirst = await this.#parts.database.transaction((writer) =>
          useApproval(writer, row.org_id, row.id, nowMs),
        );
        if (!isFirst) continue;
      }
      for (const rule of rules) granted.add(rule);
    }
    return granted;
  }

  /** The question as it stands, once it is answered or the time is over; undefined when the org has none of this id. */
  async wait(orgId: string, id: string, waitSeconds: number): Promise<ApprovalRow | undefined> {
    const { database, clock } = this.#parts;
    const until = clock.monotonic() + Math.min(waitSeconds, MOST_WAIT_SECONDS) * 1_000;
    for (;;) {
      const row = await approvalById(database.read, orgId, id);
      const isOpen = row?.state === 'waiting' && row.expires_at > clock.now();
      const leftMs = until - clock.monotonic();
      if (!isOpen || leftMs <= 0) return row;
      await this.#change(id, Math.min(leftMs, LOOK_MS));
    }
  }

  /** Wakes those who wait for an answer to this question here. */
  decided(id: string): void {
    for (const wake of this.#waiting.get(id) ?? []) wake();
  }

  #change(id: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, waiting);
      const wake = () => {
        timer.cancel();
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(id);
        resolve();
      };
      const timer = this.#parts.clock.after(ms, wake);
      waiting.add(wake);
    });
  }
}

function waitingIn(rows: readonly ApprovalRow[], input: string): ApprovalRow | undefined {
  return rows.find((row) => row.state === 'waiting' && row.input_hash === input);
}

/** Who watches the console sees it at once. */
export function tellOfApproval(
  writer: Writer,
  { org_id: orgId, id, state }: ApprovalRow,
  at: number,
): Promise<void> {
  return tellLive(writer, { orgId, topic: 'approvals', at, data: { id, state } });
}

function rulesOf({ rules_json }: ApprovalRow): string[] {
  const rules: unknown = JSON.parse(rules_json);
  return Array.isArray(rules) ? rules.filter((rule) => typeof rule === 'string') : [];
}

function rowOf(
  { asker, event, verdict, input, decisionId, config }: Question,
  rules: readonly string[],
  nowMs: number,
): ApprovalRow {
  return {
    id: newId('apr', nowMs),
    org_id: asker.orgId,
    created_at: nowMs,
    expires_at: nowMs + config.approvals.expires_minutes * MINUTE_MS,
    state: 'waiting',
    scope: null,
    decision_id: decisionId,
    event: event.event,
    rules_json: JSON.stringify(rules),
    input_hash: input,
    session_id: event.session_id ?? null,
    agent: event.agent.name,
    key_id: asker.keyId,
    key_name: asker.key,
    owner: asker.owner,
    repository: event.repository?.remote === undefined ? null : repositoryName(event.repository.remote),
    what: keptEvent(event, config.keep_text).what,
    reason: verdict.hit?.reason ?? '',
    decided_at: null,
    decided_by: null,
    note: null,
    used_at: null,
  };
}
