import { createHash } from 'node:crypto';
import type { RelayDecision, RelayEvent } from '@floe/contract/api/relay';
import { evaluateRelayEventInSteps, type RelayEvaluation } from '@floe/relay/evaluate-event';
import { normalizeRepositoryName } from '@floe/relay/rules/match-caller';
import type { Clock } from '../core/clock.ts';
import { EventLoopYielder } from '../core/event-loop-yielder.ts';
import { FairLruMap } from '../core/fair-lru-map.ts';
import { createId, deriveId } from '../core/ids.ts';
import { OrgPacer } from '../core/org-pacer.ts';
import type { RelaySpoolRow } from '../store/relay/ingest-relay-spool-region.ts';
import type { RelayDecisionsTable } from '../store/relay/relay-tables.ts';
import type { RowSink } from '../store/store-interfaces.ts';
import { MAX_WAITING_APPROVALS_PER_KEY, type RelayApprovals } from './relay-approvals.ts';
import type { RelayCaller } from './relay-caller.ts';
import type { RelayConfigRegistry, VersionedRelayConfig } from './relay-config-registry.ts';
import type { RelaySessionTracker } from './relay-session-tracker.ts';
import { toStoredRelayEvent } from './stored-relay-event.ts';

export interface RelayDecisionEngineOptions {
  readonly relays: RelayConfigRegistry;
  readonly rows: Pick<RowSink<RelaySpoolRow>, 'append'>;
  readonly sessions: Pick<RelaySessionTracker, 'recordRelayCall'>;
  readonly approvals: Pick<RelayApprovals, 'requestApproval'>;
  readonly clock: Clock;
  /** Creates the object that yields to the event loop during one decision. Default: `EventLoopYielder`. */
  readonly createTurns?: () => Pick<EventLoopYielder, 'endStep'>;
}

/** Maximum size of the decisions in memory, by event id. A repeated event gets the same decision. */
const MAX_CACHED_BYTES = 16 << 20;
/** Size of a decision without matches and messages, with its name in the cache. */
const DECISION_BYTES = 1_500;
const MATCH_BYTES = 100;
const DECISION_CACHE_MS = 10 * 60_000;
/** Maximum number of waiting evaluations of one organization. They never pause, because agents wait for them. */
const EVALUATION_LIMITS = { maxWaiting: 500, pauseFactor: 0 };

interface CachedDecision {
  /** The end of its validity, on the monotonic clock. */
  readonly until: number;
  readonly answer: RelayDecision;
}

/** Estimates the memory of a decision, which grows with the number of rules that match. */
export function estimateDecisionBytes({
  matches,
  findings,
  user_message,
  agent_message,
}: RelayDecision): number {
  const messages = (user_message?.length ?? 0) + (agent_message?.length ?? 0);
  let bytes = DECISION_BYTES + messages + findings.length * MATCH_BYTES;
  for (const { rule, reason } of matches) bytes += MATCH_BYTES + rule.length + reason.length;
  return bytes;
}

/** The decision on an action that needs an approval, if too many approvals are waiting. */
const TOO_MANY_APPROVALS = {
  decision: 'deny',
  would: 'deny',
  userMessage: `This action requires an approval, and ${MAX_WAITING_APPROVALS_PER_KEY} approvals of this key are waiting. Ask an admin to allow or deny them.`,
  agentMessage:
    'This action requires an approval, and too many approvals are waiting. Do not request more actions that require an approval.',
} as const;

/** An event, its caller and the decision. */
interface AnsweredEvent {
  readonly caller: RelayCaller;
  readonly event: RelayEvent;
  readonly answer: RelayDecision;
  readonly nowMs: number;
  /** Duration of the decision in microseconds. */
  readonly latencyUs: number;
}

/**
 * Decides whether agents may perform the actions in their events, and records every decision. An event that is
 * sent again with the same id gets the same decision, unless it requires an approval.
 */
export class RelayDecisionEngine {
  readonly #options: RelayDecisionEngineOptions;
  /** Evaluations take milliseconds, or 100 ms with many rules and a long text. */
  readonly #pacer: OrgPacer;
  readonly #answers = new FairLruMap<CachedDecision>(MAX_CACHED_BYTES, ({ answer }) =>
    estimateDecisionBytes(answer),
  );

  constructor(options: RelayDecisionEngineOptions) {
    this.#options = options;
    this.#pacer = new OrgPacer(options.clock, EVALUATION_LIMITS);
  }

  /** Returns an organization's relay configuration, prepared for evaluation. */
  relayOf(orgId: string): VersionedRelayConfig {
    return this.#options.relays.get(orgId);
  }

  /** Returns the decision about an event. */
  async decide(caller: RelayCaller, event: RelayEvent): Promise<RelayDecision> {
    const { clock, sessions, relays } = this.#options;
    const started = clock.monotonic();
    // Some models repeat the ids of tool calls. An event with the id of another event is a new event.
    const named =
      event.id === undefined
        ? null
        : `${caller.orgId}\n${caller.keyId}\n${event.id}\n${hashDecisionInput(event)}`;
    const before = named === null ? undefined : this.#cachedDecision(caller.orgId, named);
    if (before) return before;
    const nowMs = clock.now();
    const { relay } = relays.get(caller.orgId);
    const grammar = event.shell ? await relays.getGrammar() : null;
    const options = {
      relay,
      grammar,
      identity: { key: caller.keyName, team: caller.team, owner: caller.owner },
      nowMs,
    };
    const turns = this.#options.createTurns?.() ?? new EventLoopYielder();
    const evaluate = (approved?: ReadonlySet<string>) =>
      this.#pacer.run(caller.orgId, () =>
        evaluateRelayEventInSteps(event, { ...options, ...(approved && { approved }) }, () =>
          turns.endStep(),
        ),
      );
    let verdict = await evaluate();
    const id = named === null ? createId('dec', nowMs) : deriveId('dec', named);
    let approval: RelayDecision['approval'] = null;
    // A one-time approval must not allow a repetition with the same id.
    const needsApproval = verdict.decision === 'ask' && relay.config.approvals.enabled;
    if (needsApproval) {
      const asked = await this.#options.approvals.requestApproval({
        caller,
        event,
        verdict,
        inputHash: hashApprovedAction(event),
        decisionId: id,
        config: relay.config,
      });
      if (asked.granted) verdict = await evaluate(asked.rules);
      else {
        approval = asked.approval;
        if (approval === null) verdict = { ...verdict, ...TOO_MANY_APPROVALS };
      }
    }
    const answer = toRelayDecision(id, verdict, approval);
    if (named !== null && !needsApproval)
      this.#answers.set(caller.orgId, named, {
        until: clock.monotonic() + DECISION_CACHE_MS,
        answer,
      });
    sessions.recordRelayCall(caller, event, nowMs);
    const latencyUs = Math.round((clock.monotonic() - started) * 1000);
    setImmediate(() =>
      this.#recordDecision({ caller, event, answer, nowMs, latencyUs }, relay.config.keep_text),
    );
    return answer;
  }

  #cachedDecision(orgId: string, name: string): RelayDecision | undefined {
    const found = this.#answers.get(orgId, name);
    return found !== undefined && found.until > this.#options.clock.monotonic() ? found.answer : undefined;
  }

  /**
   * Records the decision. Called after the response has been sent, because masking the secrets of a long
   * prompt takes milliseconds.
   */
  #recordDecision(
    { caller, event, answer, nowMs, latencyUs }: AnsweredEvent,
    keepText: 'masked' | 'none',
  ): void {
    const { summary, cwd, json } = toStoredRelayEvent(event, keepText);
    const row: RelayDecisionsTable = {
      id: answer.decision_id,
      org_id: caller.orgId,
      created_at: nowMs,
      event: event.event,
      decision: answer.decision,
      enforced_decision: answer.enforced_decision,
      rule: answer.rule,
      mode: answer.mode,
      input_summary: summary,
      session_id: event.session_id ?? null,
      agent: event.agent.name,
      agent_version: event.agent.version ?? null,
      client_version: event.client?.version ?? null,
      key_id: caller.keyId,
      key_name: caller.keyName,
      team: caller.team,
      owner: caller.owner,
      repository:
        event.repository?.remote === undefined ? null : normalizeRepositoryName(event.repository.remote),
      cwd,
      reason: answer.reason,
      user_message: answer.user_message,
      agent_message: answer.agent_message,
      matches_json: JSON.stringify(answer.matches),
      findings_json: JSON.stringify(answer.findings),
      event_json: json,
      approval_id: answer.approval?.id ?? null,
      latency_us: latencyUs,
    };
    this.#options.rows.append({ table: 'relay_decisions', row });
  }
}

/**
 * Returns the SHA-256 hash of everything in the event that affects the decision. Omits fields that differ
 * between retries.
 */
export function hashDecisionInput({
  id: _id,
  turn_id: _turn,
  tool_use_id: _use,
  client: _client,
  ...event
}: RelayEvent): string {
  return createHash('sha256').update(JSON.stringify(event)).digest('hex');
}

/**
 * Returns the SHA-256 hash of what the reviewer of an approval approves: the action, the directory, repository and
 * branch in which it runs, and the agent. Omits fields that can change without changing the action.
 */
export function hashApprovedAction({
  id: _id,
  turn_id: _turn,
  tool_use_id: _use,
  client: _client,
  user: _user,
  permission_request: _request,
  agent,
  repository,
  ...action
}: RelayEvent): string {
  const remote = repository?.remote === undefined ? null : normalizeRepositoryName(repository.remote);
  const approved = { ...action, agent: agent.name, remote, branch: repository?.branch ?? null };
  return createHash('sha256').update(JSON.stringify(approved)).digest('hex');
}

/** Converts an evaluation to the API response. If an approval is pending, the messages include its URL. */
export function toRelayDecision(
  id: string,
  verdict: RelayEvaluation,
  approval: RelayDecision['approval'],
): RelayDecision {
  const { hit, decision, would, hits, userMessage, agentMessage, onError, findings } = verdict;
  const waiting = approval === null ? '' : ` Waiting for approval: ${approval.url}`;
  return {
    decision,
    rule: hit?.rule ?? null,
    reason: hit?.reason ?? null,
    user_message: userMessage === null ? null : userMessage + waiting,
    agent_message: agentMessage === null ? null : agentMessage + waiting,
    decision_id: id,
    mode: hit?.mode ?? null,
    enforced_decision: would,
    on_error: onError,
    matches: hits.map((one) => ({
      rule: one.rule,
      decision: one.decision,
      mode: one.mode,
      reason: one.reason,
    })),
    findings: findings.map(({ kind, count }) => ({ kind, count })),
    approval,
  };
}
