import type { RelayDecision, RelayEvent } from '@floe/contract/api/relay';
import type { RelayConfig } from '@floe/contract/config';
import type { RelayEvaluation } from '@floe/relay/evaluate-event';
import { normalizeRepositoryName } from '@floe/relay/rules/match-caller';
import type { Clock } from '../core/clock.ts';
import { createId } from '../core/ids.ts';
import { publishLiveEvent } from '../store/live-events.ts';
import {
  consumeRelayApproval,
  findRelayApproval,
  hasWaitingRelayApprovals,
  insertRelayApproval,
  isRelayApprovalUsed,
  listUnexpiredRelayApprovals,
  type RelayApprovalReference,
  type RelayApprovalRow,
} from '../store/relay/relay-approvals.ts';
import type { Database, DatabaseWriter } from '../store/store-interfaces.ts';
import type { RelayCaller } from './relay-caller.ts';
import { toStoredRelayEvent } from './stored-relay-event.ts';

const MINUTE_MS = 60_000;
/**
 * Interval at which a waiting call reads the approval from the database, because another process may have
 * received the decision.
 */
const POLL_INTERVAL_MS = 1_000;
/** Maximum number of waiting approvals of one key. An agent must not hide an action among thousands of others. */
export const MAX_WAITING_APPROVALS_PER_KEY = 200;
/** The maximum time that `waitForDecision` waits, in seconds. */
export const MAX_APPROVAL_WAIT_SECONDS = 25;

interface ApprovalQuestion {
  readonly caller: RelayCaller;
  readonly event: RelayEvent;
  readonly verdict: RelayEvaluation;
  /** Hash of the action, from `hashApprovedAction`. */
  readonly inputHash: string;
  readonly decisionId: string;
  readonly config: RelayConfig;
}

/**
 * The rules that members have allowed, or the approval that is still waiting. Null if none was created, because too
 * many approvals of the key are waiting.
 */
export type ApprovalRequestResult =
  | { readonly granted: true; readonly rules: ReadonlySet<string> }
  | { readonly granted: false; readonly approval: RelayDecision['approval'] };

export interface RelayApprovalsOptions {
  readonly database: Pick<Database, 'read' | 'transaction'>;
  readonly clock: Clock;
  /** The installation's base URL. */
  readonly baseUrl: () => string;
}

/**
 * Manages the approvals of `ask` decisions. `requestApproval` creates an approval, on which members decide in
 * the console. When the agent repeats the event, `requestApproval` returns the result.
 */
export class RelayApprovals {
  readonly #options: RelayApprovalsOptions;
  readonly #waiters = new Map<string, Set<() => void>>();

  constructor(options: RelayApprovalsOptions) {
    this.#options = options;
  }

  /**
   * Returns the rules that members have allowed, if these are all rules that the event needs. Otherwise,
   * returns the waiting approval, and creates it if there is none and the limit permits it.
   */
  async requestApproval({
    caller,
    event,
    verdict,
    inputHash,
    decisionId,
    config,
  }: ApprovalQuestion): Promise<ApprovalRequestResult> {
    const { database, clock } = this.#options;
    const nowMs = clock.now();
    const sessionId = event.session_id ?? null;
    const rules = verdict.hits
      .filter(({ decision, mode }) => decision === 'ask' && mode === 'enforce')
      .map(({ rule }) => rule);
    const asked = { orgId: caller.orgId, sessionId, keyId: caller.keyId, inputHash, nowMs };
    const known = await listUnexpiredRelayApprovals(database.read, asked);
    const granted = await this.#findGrantedRules(known, rules, event.permission_request === true, nowMs);
    if (rules.every((rule) => granted.has(rule))) return { granted: true, rules: granted };
    const waits = findWaitingApproval(known);
    // Older approvals have expired, unless the setting was longer when they were created.
    const sinceMs = nowMs - config.approvals.expires_minutes * MINUTE_MS;
    const row =
      waits ??
      (await database.transaction(async (writer) => {
        // Another process may have inserted the same approval since the first read. Transactions run one at
        // a time, so this read is final.
        const others = findWaitingApproval(await listUnexpiredRelayApprovals(writer, asked));
        if (others) return others;
        if (await hasWaitingRelayApprovals(writer, { ...asked, sinceMs }, MAX_WAITING_APPROVALS_PER_KEY))
          return null;
        const first = toApprovalRow({ caller, event, verdict, inputHash, decisionId, config }, rules, nowMs);
        await insertRelayApproval(writer, first);
        await publishApproval(writer, first, nowMs);
        return first;
      }));
    if (row === null) return { granted: false, approval: null };
    const url = `${this.#options.baseUrl()}/o/${caller.orgId}/relay/approvals/${row.id}`;
    return {
      granted: false,
      approval: { id: row.id, url, expires_at: new Date(row.expires_at).toISOString() },
    };
  }

  /**
   * Returns the rules that a member has allowed for this event: once, or any number of times in the session.
   * Marks approvals that are valid only once as used. Such an approval also covers the permission request that follows.
   */
  async #findGrantedRules(
    known: readonly RelayApprovalRow[],
    wanted: readonly string[],
    isPermissionRequest: boolean,
    nowMs: number,
  ) {
    const granted = new Set<string>();
    for (const row of known) {
      if (row.state !== 'allowed') continue;
      const rules = parseRules(row).filter((rule) => wanted.includes(rule) && !granted.has(rule));
      if (rules.length === 0) continue;
      if (row.scope === 'once') {
        if (isRelayApprovalUsed(row, isPermissionRequest, nowMs)) continue;
        const isConsumed = await this.#options.database.transaction((writer) =>
          consumeRelayApproval(writer, row, isPermissionRequest, nowMs),
        );
        if (!isConsumed) continue;
      }
      for (const rule of rules) granted.add(rule);
    }
    return granted;
  }

  /**
   * Waits until the approval is decided or expired, or until `waitSeconds` have passed. Returns undefined
   * if the organization, or the key, has no approval with this id.
   */
  async waitForDecision(
    wanted: RelayApprovalReference,
    waitSeconds: number,
  ): Promise<RelayApprovalRow | undefined> {
    const { database, clock } = this.#options;
    const until = clock.monotonic() + Math.min(waitSeconds, MAX_APPROVAL_WAIT_SECONDS) * 1_000;
    for (;;) {
      const row = await findRelayApproval(database.read, wanted);
      const isOpen = row?.state === 'waiting' && row.expires_at > clock.now();
      const leftMs = until - clock.monotonic();
      if (!isOpen || leftMs <= 0) return row;
      await this.#waitForChange(wanted.id, Math.min(leftMs, POLL_INTERVAL_MS));
    }
  }

  /** Ends the waiting calls of `waitForDecision` in this process. */
  notifyDecided(id: string): void {
    for (const wake of this.#waiters.get(id) ?? []) wake();
  }

  #waitForChange(id: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiters.get(id) ?? new Set();
      this.#waiters.set(id, waiting);
      const wake = () => {
        timer.cancel();
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiters.delete(id);
        resolve();
      };
      const timer = this.#options.clock.after(ms, wake);
      waiting.add(wake);
    });
  }
}

function findWaitingApproval(rows: readonly RelayApprovalRow[]): RelayApprovalRow | undefined {
  return rows.find((row) => row.state === 'waiting');
}

/** Publishes an approval to the console's event streams. */
export function publishApproval(
  writer: DatabaseWriter,
  { org_id: orgId, id, state }: RelayApprovalRow,
  at: number,
): Promise<void> {
  return publishLiveEvent(writer, { orgId, topic: 'approvals', at, data: { id, state } });
}

function parseRules({ rules_json }: RelayApprovalRow): string[] {
  const rules: unknown = JSON.parse(rules_json);
  return Array.isArray(rules) ? rules.filter((rule) => typeof rule === 'string') : [];
}

function toApprovalRow(
  { caller, event, verdict, inputHash, decisionId, config }: ApprovalQuestion,
  rules: readonly string[],
  nowMs: number,
): RelayApprovalRow {
  return {
    id: createId('apr', nowMs),
    org_id: caller.orgId,
    created_at: nowMs,
    expires_at: nowMs + config.approvals.expires_minutes * MINUTE_MS,
    state: 'waiting',
    scope: null,
    decision_id: decisionId,
    event: event.event,
    rules_json: JSON.stringify(rules),
    input_hash: inputHash,
    session_id: event.session_id ?? null,
    agent: event.agent.name,
    key_id: caller.keyId,
    key_name: caller.keyName,
    owner: caller.owner,
    repository:
      event.repository?.remote === undefined ? null : normalizeRepositoryName(event.repository.remote),
    input_summary: toStoredRelayEvent(event, config.keep_text).action,
    reason: verdict.hit?.reason ?? '',
    decided_at: null,
    decided_by: null,
    note: null,
    used_at: null,
  };
}
