import { createHash } from 'node:crypto';
import type { RelayDecision, RelayEvent } from '@floe/contract/api/relay';
import { Fault } from '@floe/contract/faults';
import { decide, type Verdict } from '@floe/relay/decide';
import { repositoryName } from '@floe/relay/rules/who';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';
import { idFor, newId } from '../core/ids.ts';
import type { RowSink } from '../store/ports.ts';
import type { RelayRow } from '../store/relay/ingest.ts';
import type { RelayDecisionsTable } from '../store/relay/tables.ts';
import type { Approvals } from './approvals.ts';
import type { Asker } from './asker.ts';
import { keptEvent } from './kept-event.ts';
import type { OrgRelay, OrgRelays } from './org-relays.ts';
import type { RelaySessions } from './sessions.ts';

export interface DecisionParts {
  readonly relays: OrgRelays;
  readonly rows: RowSink<RelayRow>;
  readonly sessions: Pick<RelaySessions, 'noteRelay'>;
  readonly approvals: Approvals;
  readonly clock: Clock;
}

/** Answers remembered by the id of their event, and for how long a repetition gets the same. */
const REMEMBERED = 10_000;
const REMEMBERED_MS = 10 * 60_000;

interface Remembered {
  readonly input: string;
  readonly answer: RelayDecision;
}

/** An event, who sent it, and what it was answered. */
interface AnsweredEvent {
  readonly asker: Asker;
  readonly event: RelayEvent;
  readonly answer: RelayDecision;
  readonly nowMs: number;
  /** How long the answer took. */
  readonly latencyUs: number;
}

/** Decides about events, once for each, and keeps every decision. */
export class Decisions {
  readonly #parts: DecisionParts;
  readonly #answers = new LRUCache<string, Remembered>({ max: REMEMBERED });

  constructor(parts: DecisionParts) {
    this.#parts = parts;
  }

  /** The running relay of an org. */
  relayOf(orgId: string): OrgRelay {
    return this.#parts.relays.of(orgId);
  }

  /** @throws Fault `conflict` when the id of the event was used for another one */
  async decide(asker: Asker, event: RelayEvent): Promise<RelayDecision> {
    const { clock, sessions, relays } = this.#parts;
    const started = clock.monotonic();
    const input = inputHash(event);
    const name = event.id === undefined ? null : `${asker.orgId}\n${asker.keyId}\n${event.id}`;
    const before = name === null ? undefined : this.#remembered(name, input);
    if (before) return before;
    const nowMs = clock.now();
    const { relay } = relays.of(asker.orgId);
    const grammar = event.shell ? await relays.grammar() : null;
    const parts = { relay, grammar, identity: asker, nowMs };
    let verdict = decide(event, parts);
    const id = name === null ? newId('dec', nowMs) : idFor('dec', name);
    let approval: RelayDecision['approval'] = null;
    if (verdict.decision === 'ask' && relay.config.approvals.enabled) {
      const asked = await this.#parts.approvals.ask({
        asker,
        event,
        verdict,
        input,
        decisionId: id,
        config: relay.config,
      });
      if (asked.granted) verdict = decide(event, { ...parts, approved: asked.rules });
      else approval = asked.approval;
    }
    const answer = answerOf(id, verdict, approval);
    if (name !== null && approval === null)
      this.#answers.set(name, { input, answer }, { ttl: REMEMBERED_MS });
    sessions.noteRelay(asker, event, nowMs);
    const latencyUs = Math.round((clock.monotonic() - started) * 1000);
    setImmediate(() => this.#keep({ asker, event, answer, nowMs, latencyUs }, relay.config.keep_text));
    return answer;
  }

  #remembered(name: string, input: string): RelayDecision | undefined {
    const found = this.#answers.get(name);
    if (found && found.input !== input)
      throw new Fault('conflict', 'This id was used for another event.', { param: 'id' });
    return found?.answer;
  }

  /** After the answer is on its way: masking a long prompt takes milliseconds. */
  #keep({ asker, event, answer, nowMs, latencyUs }: AnsweredEvent, keepText: 'masked' | 'none'): void {
    const { what, json } = keptEvent(event, keepText);
    const row: RelayDecisionsTable = {
      id: answer.decision_id,
      org_id: asker.orgId,
      created_at: nowMs,
      event: event.event,
      decision: answer.decision,
      would: answer.would,
      rule: answer.rule,
      mode: answer.mode,
      what,
      session_id: event.session_id ?? null,
      agent: event.agent.name,
      agent_version: event.agent.version ?? null,
      client_version: event.client?.version ?? null,
      key_id: asker.keyId,
      key_name: asker.key,
      team: asker.team,
      owner: asker.owner,
      repository: event.repository?.remote === undefined ? null : repositoryName(event.repository.remote),
      cwd: event.cwd ?? null,
      reason: answer.reason,
      user_message: answer.user_message,
      agent_message: answer.agent_message,
      hits_json: JSON.stringify(answer.hits),
      findings_json: JSON.stringify(answer.findings),
      event_json: json,
      approval_id: answer.approval?.id ?? null,
      latency_us: latencyUs,
    };
    this.#parts.rows.append({ table: 'relay_decisions', row });
  }
}

/** What an answer depends on, without what names the try. */
export function inputHash({
  id: _id,
  turn_id: _turn,
  tool_use_id: _use,
  client: _client,
  ...event
}: RelayEvent): string {
  return createHash('sha256').update(JSON.stringify(event)).digest('hex');
}

export function answerOf(id: string, verdict: Verdict, approval: RelayDecision['approval']): RelayDecision {
  const { hit, decision, would, hits, userMessage, agentMessage, onError, findings } = verdict;
  const waiting = approval === null ? '' : ` Waiting for somebody to agree: ${approval.url}`;
  return {
    decision,
    rule: hit?.rule ?? null,
    reason: hit?.reason ?? null,
    user_message: userMessage === null ? null : userMessage + waiting,
    agent_message: agentMessage === null ? null : agentMessage + waiting,
    decision_id: id,
    mode: hit?.mode ?? null,
    would,
    on_error: onError,
    hits: hits.map((one) => ({ rule: one.rule, decision: one.decision, mode: one.mode, reason: one.reason })),
    findings: findings.map(({ kind, count }) => ({ kind, count })),
    approval,
  };
}
