import { relaySimulation, relaySimulationAnswer } from '@floe/contract/api/relay-management';
import type { RelayConfig } from '@floe/contract/config';
import { ROLES } from '@floe/contract/roles';
import { decide, type Verdict } from '@floe/relay/decide';
import { compileRelay, type Relay } from '@floe/relay/relay';
import type { SimpleCommand } from '@floe/relay/shell/command';
import { readVerb, type Verb } from '../verb.ts';
import type { RelayHost } from './relay-host.ts';
import { compiledFor } from './rule-problem.ts';

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

interface Draft {
  readonly rules?: RelayConfig['rules'] | undefined;
  readonly mode?: RelayConfig['mode'] | undefined;
}

/** @throws Fault `invalid_request` naming the field of the draft that cannot be used */
export function drafted(running: Relay, { rules, mode }: Draft): Relay {
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
