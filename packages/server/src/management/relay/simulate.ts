import { relayEvent } from '@floe/contract/api/relay';
import {
  relayReplay,
  relayReplayAnswer,
  relaySimulation,
  relaySimulationAnswer,
} from '@floe/contract/api/relay-management';
import type { RelayConfig } from '@floe/contract/config';
import { ROLES } from '@floe/contract/roles';
import { decide, type Verdict } from '@floe/relay/decide';
import { compileRelay, type Relay } from '@floe/relay/relay';
import type { SimpleCommand } from '@floe/relay/shell/command';
import type { Grammar } from '@floe/relay/shell/tree';
import { type DecisionRow, keptDecisions } from '../../store/relay/decisions.ts';
import { readVerb, type Verb } from '../verb.ts';
import type { RelayHost } from './relay-host.ts';
import { compiledFor } from './rule-problem.ts';

const DAY_MS = 24 * 3_600_000;
/** Decisions judged again without a pause, and how long all of them may take. */
const AT_ONCE = 50;
const MOST_MS = 5_000;
const MOST_CHANGES = 200;

/** What the rules, or a draft of them, say about an event that did not happen. Nothing is kept. */
export function simulateRelay({ relays }: RelayHost): Verb {
  return readVerb({
    name: 'relay.simulate',
    method: 'POST',
    path: '/api/management/relay/simulate',
    scope: 'management',
    // Whoever may read the rules may know what they say.
    roles: ROLES,
    summary: 'Show how a command is read, and which rules say what about it',
    body: relaySimulation,
    answer: relaySimulationAnswer,
    async run({ orgId, clock }, { body }) {
      const { event, key, team, owner, at } = body;
      const relay = drafted(relays.of(orgId).relay, body);
      const grammar = event.shell ? await relays.grammar() : null;
      const nowMs = at === undefined ? clock.now() : Date.parse(at);
      return simulated(decide(event, { relay, grammar, identity: { key, team, owner }, nowMs }));
    },
  });
}

/** What a draft would have said about what agents asked in the last days. Bounded in number and time. */
export function replayRelay({ relays }: RelayHost): Verb {
  return readVerb({
    name: 'relay.replay',
    method: 'POST',
    path: '/api/management/relay/replay',
    scope: 'management',
    summary: 'Judge the decisions of the last days again by a draft of rules; differences are listed',
    body: relayReplay,
    answer: relayReplayAnswer,
    async run({ orgId, clock, reader }, { body }) {
      const relay = drafted(relays.of(orgId).relay, body);
      const grammar = await relays.grammar();
      const rows = await keptDecisions(reader, orgId, clock.now() - body.days * DAY_MS, body.limit);
      const replay = new Replay(relay, grammar);
      const until = clock.monotonic() + MOST_MS;
      for (const [n, row] of rows.entries()) {
        if (clock.monotonic() > until) replay.skipped += rows.length - n;
        if (clock.monotonic() > until) break;
        replay.judge(row);
        // Others get their turn: every command takes up to some milliseconds.
        if (n % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
      }
      return replay.answer();
    },
  });
}

interface Draft {
  readonly rules?: RelayConfig['rules'] | undefined;
  readonly mode?: RelayConfig['mode'] | undefined;
}

/** @throws Fault `invalid_request` naming the field of the draft that cannot be used */
function drafted(running: Relay, { rules, mode }: Draft): Relay {
  if (rules === undefined && mode === undefined) return running;
  const config: RelayConfig = {
    ...running.config,
    rules: rules ?? running.config.rules,
    mode: mode ?? running.config.mode,
  };
  return compiledFor(() => compileRelay(config));
}

function simulated({ decision, would, hit, hits, userMessage, agentMessage, findings, shell }: Verdict) {
  return {
    decision,
    would,
    rule: hit?.rule ?? null,
    mode: hit?.mode ?? null,
    user_message: userMessage,
    agent_message: agentMessage,
    hits: hits.map(({ command, ...one }) => ({ ...one, command: indexOf(shell?.commands, command) })),
    findings: findings.map((one) => ({ ...one })),
    commands: (shell?.commands ?? []).map(commandView),
    unclear: (shell?.doubts ?? []).map((doubt) => ({ ...doubt })),
  };
}

function indexOf(
  commands: readonly SimpleCommand[] | undefined,
  command: SimpleCommand | null,
): number | null {
  const index = command === null ? -1 : (commands ?? []).indexOf(command);
  return index === -1 ? null : index;
}

function commandView({ name, args, via, traits, assignments, redirects, start, end }: SimpleCommand) {
  return {
    name,
    args: args.map(({ text }) => text),
    via: [...via],
    does: [...traits],
    assigns: assignments.map((assignment) => assignment.name),
    redirects: redirects.map(({ operator, target }) => ({ operator, target: target.text })),
    start,
    end,
  };
}

const STOPS = new Set(['deny', 'ask']);

class Replay {
  readonly #relay: Relay;
  readonly #grammar: Grammar;
  readonly #changes: { readonly row: DecisionRow; readonly after: Verdict }[] = [];
  #counts = { looked_at: 0, newly_denied: 0, newly_asked: 0, no_longer_stopped: 0, unchanged: 0 };
  skipped = 0;

  constructor(relay: Relay, grammar: Grammar) {
    this.#relay = relay;
    this.#grammar = grammar;
  }

  judge(row: DecisionRow): void {
    const event = row.event_json === null ? null : relayEvent.safeParse(JSON.parse(row.event_json));
    if (!event?.success) {
      this.skipped += 1;
      return;
    }
    const identity = { key: row.key_name, team: row.team, owner: row.owner };
    const parts = { relay: this.#relay, grammar: this.#grammar, identity, nowMs: row.created_at };
    const after = decide(event.data, parts);
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
      rule: after.hit?.rule ?? row.rule,
    }));
    return { ...this.#counts, skipped: this.skipped, changes };
  }
}

function decisionOf(text: string): Verdict['would'] {
  return text === 'allow' || text === 'deny' || text === 'ask' ? text : 'abstain';
}
