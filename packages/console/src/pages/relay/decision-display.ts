import type { relaySimulationResult, storedRelayDecision } from '@floe/contract/api/relay-management';
import type * as z from 'zod';
import type { DisplayStatus } from '../../ui/status.tsx';
import { ruleText } from './rule-text.ts';
import { relayText } from './text.ts';

/** Labels of decisions, events and command traits, shared by the relay pages. Pure. */

/** A recorded decision of the relay. */
export type StoredDecision = z.output<typeof storedRelayDecision>;
/** The result of evaluating an action without executing or recording it. */
export type RelaySimulationResult = z.output<typeof relaySimulationResult>;
/** A decision of the relay, such as `deny`. */
export type DecisionValue = StoredDecision['decision'];
/** The kind of an event of an agent, such as `shell`. */
export type AgentEventKind = StoredDecision['event'];

/** The icon and the label of a decision. The decision `abstain` has no icon. */
export interface DecisionDisplay {
  readonly state: DisplayStatus | null;
  readonly word: string;
}

const SAID: Readonly<Record<DecisionValue, DecisionDisplay>> = {
  deny: { state: 'blocked', word: relayText.labels.deny },
  ask: { state: 'waiting', word: relayText.labels.ask },
  allow: { state: 'healthy', word: relayText.labels.allow },
  abstain: { state: null, word: relayText.labels.abstain },
};

/**
 * Returns the icon and label of a recorded decision. If the rule is not enforced (mode `observe` or `warn`), they show
 * what the rule would have decided.
 */
export function getDecisionDisplay({
  decision,
  enforced_decision: would,
}: {
  readonly decision: DecisionValue;
  readonly enforced_decision: DecisionValue;
}): DecisionDisplay {
  if (decision === 'abstain' && would !== 'abstain')
    return { state: 'partial', word: relayText.enforcedLabels[would] };
  return SAID[decision];
}

/** Returns the icon and label of what a rule would decide if it were enforced. */
export function getEnforcedDecisionDisplay(decision: DecisionValue): DecisionDisplay {
  return { state: SAID[decision].state, word: relayText.enforcedLabels[decision] };
}

/** Returns the label for a kind of event. */
export function getAgentEventLabel(event: AgentEventKind): string {
  return relayText.events[event];
}

/**
 * A segment of the text of a command. `mark` states whether a rule matched the segment (`hit`) or the relay
 * cannot analyze it (`unclear`).
 */
export interface CommandTextSegment {
  readonly text: string;
  readonly mark: 'hit' | 'unclear' | null;
}

interface CommandRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Splits a command into segments at the given ranges. Where a rule match overlaps a range that cannot be
 * analyzed, the segment shows the rule match.
 */
export function splitCommandAtRanges(
  text: string,
  hits: readonly CommandRange[],
  unclear: readonly CommandRange[],
): CommandTextSegment[] {
  const cuts = [...hits, ...unclear].flatMap(({ start, end }) => [start, end]);
  const edges = [...new Set([0, ...cuts, text.length])].filter((at) => at >= 0 && at <= text.length);
  edges.sort((one, other) => one - other);
  const within = (places: readonly CommandRange[], at: number) =>
    places.some(({ start, end }) => start <= at && at < end);
  const pieces: CommandTextSegment[] = [];
  for (const [index, from] of edges.slice(0, -1).entries()) {
    const mark = within(hits, from) ? 'hit' : within(unclear, from) ? 'unclear' : null;
    const piece = text.slice(from, edges[index + 1]);
    const last = pieces.at(-1);
    if (last?.mark === mark) pieces[pieces.length - 1] = { text: last.text + piece, mark };
    else pieces.push({ text: piece, mark });
  }
  return pieces;
}

/** Returns the ranges of a command that rules matched in a simulation. */
export function findMatchedRanges({ matches }: Pick<RelaySimulationResult, 'matches'>): CommandRange[] {
  return matches.flatMap(({ range }) => (range === null ? [] : [range]));
}

/** Returns whether two ranges have at least one character in common. */
export function doRangesOverlap(one: CommandRange, other: CommandRange): boolean {
  return one.start < other.end && other.start < one.end;
}

const TRAITS: Readonly<Record<string, string>> = ruleText.command.traits;

/** Returns the label of a command trait, such as `makes another program run code`. */
export function getCommandTraitLabel(trait: string): string {
  return TRAITS[trait] ?? trait.replaceAll('_', ' ');
}

/**
 * Returns why the result of a simulation is less strict than the decision of the strictest matching rule. Null if it
 * is not less strict.
 */
export function describeUnenforcedRule({
  decision,
  enforced_decision: would,
}: Pick<RelaySimulationResult, 'decision' | 'enforced_decision'>): string | null {
  if (decision === would) return null;
  if (decision === 'abstain') return ruleText.test.notEnforced;
  return would === 'deny' || would === 'ask' ? ruleText.test.stricterNotEnforced[would] : null;
}

/** The names of the built-in rules, which are not in the list of rules. */
export const BUILT_IN_RULE_NAMES: ReadonlySet<string> = new Set(['unclear-command', 'self-tamper']);

/** Summarizes a simulation in one sentence, as in `Denied by rule no-force-push.` */
export function summarizeRelaySimulation(answer: SimulationResult): string {
  const { decision, enforced_decision: enforced, rule } = answer;
  const isObserved = decision === 'abstain' && enforced !== 'abstain';
  const result = isObserved ? ruleText.test.observedResult[enforced] : ruleText.test.result[decision];
  if (rule !== null) return ruleText.test.byRule(result, rule);
  return decision === 'abstain' ? ruleText.test.noMatch : `${result}.`;
}

/**
 * Returns whether two simulations have the same result: the same decision by the same rule, and the same decision if
 * all rules were enforced.
 */
export function isSameSimulationResult(one: SimulationResult, other: SimulationResult): boolean {
  return (
    one.decision === other.decision &&
    one.enforced_decision === other.enforced_decision &&
    one.rule === other.rule
  );
}

type SimulationResult = Pick<RelaySimulationResult, 'decision' | 'enforced_decision' | 'rule'>;
