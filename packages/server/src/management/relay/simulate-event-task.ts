import type { RelayEvent } from '@floe/contract/api/relay';
import { evaluateRelayEvent, type RelayEvaluation } from '@floe/relay/evaluate-event';
import type { CallerIdentity } from '@floe/relay/rules/match-caller';
import type { SimpleCommand } from '@floe/relay/shell/command';
import { loadShellParser } from '@floe/relay/shell/shell-parser';
import { compileSimulatedRules, type SimulatedRules } from './compile-simulated-rules.ts';

/** A hypothetical event, and the rules to evaluate against it. */
export interface SimulateEventInput extends SimulatedRules {
  readonly event: RelayEvent;
  readonly identity: CallerIdentity;
  readonly nowMs: number;
}

/**
 * Returns the decision that the rules make.
 * @throws Fault `invalid_request` that names the invalid field of a rule in a draft
 */
export async function simulateEvent({ event, identity, nowMs, ...rules }: SimulateEventInput) {
  const relay = compileSimulatedRules(rules);
  const grammar = event.shell ? await loadShellParser() : null;
  return toSimulationResult(evaluateRelayEvent(event, { relay, grammar, identity, nowMs }));
}

function toSimulationResult({
  decision,
  would,
  hit,
  hits,
  userMessage,
  agentMessage,
  findings,
  shell,
}: RelayEvaluation) {
  return {
    decision,
    enforced_decision: would,
    rule: hit?.rule ?? null,
    mode: hit?.mode ?? null,
    user_message: userMessage,
    agent_message: agentMessage,
    matches: hits.map(({ command, place, ...one }) => ({
      ...one,
      range: place,
      command: commandIndex(shell?.commands, command),
    })),
    findings: findings.map((one) => ({ ...one })),
    commands: (shell?.commands ?? []).map(toCommandView),
    unclear: (shell?.unclear ?? []).map((doubt) => ({ ...doubt })),
  };
}

function commandIndex(
  commands: readonly SimpleCommand[] | undefined,
  command: SimpleCommand | null,
): number | null {
  const index = command === null ? -1 : (commands ?? []).indexOf(command);
  return index === -1 ? null : index;
}

function toCommandView({ name, args, via, traits, assignments, redirects, start, end }: SimpleCommand) {
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
