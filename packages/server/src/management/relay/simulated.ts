import type { RelayEvent } from '@floe/contract/api/relay';
import type { RelayConfig } from '@floe/contract/config';
import { decide, type Verdict } from '@floe/relay/decide';
import { compileRelay } from '@floe/relay/relay';
import type { Identity } from '@floe/relay/rules/who';
import type { SimpleCommand } from '@floe/relay/shell/command';
import { loadGrammar } from '@floe/relay/shell/tree';
import { compiledFor } from './rule-problem.ts';

/** An event that did not happen, and the rules to decide about it. */
export interface SimulatedEvent {
  readonly config: RelayConfig;
  readonly event: RelayEvent;
  readonly identity: Identity;
  readonly nowMs: number;
}

/** What the rules say. @throws Fault `invalid_request` naming the field of a rule that cannot be used */
export async function simulatedEvent({ config, event, identity, nowMs }: SimulatedEvent) {
  const relay = compiledFor(() => compileRelay(config));
  const grammar = event.shell ? await loadGrammar() : null;
  return simulated(decide(event, { relay, grammar, identity, nowMs }));
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
