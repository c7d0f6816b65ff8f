import type { relaySimulationResult, storedRelayDecision } from '@floe/contract/api/relay-management';
import type * as z from 'zod';
import type { DisplayStatus } from '../../ui/status.tsx';

/** What a decision of the relay says about itself, in words that its pages share. Pure. */

export type StoredDecision = z.output<typeof storedRelayDecision>;
export type RelaySimulation = z.output<typeof relaySimulationResult>;
export type DecisionValue = StoredDecision['decision'];
export type HookEventKind = StoredDecision['event'];

/** A shape and a word; `abstain` has no shape: nothing was against it. */
export interface DecisionLabel {
  readonly state: DisplayStatus | null;
  readonly word: string;
}

const SAID: Readonly<Record<DecisionValue, DecisionLabel>> = {
  deny: { state: 'blocked', word: 'Denied' },
  ask: { state: 'waiting', word: 'Asked' },
  allow: { state: 'healthy', word: 'Allowed' },
  abstain: { state: null, word: 'Abstained' },
};

const WOULD: Readonly<Record<DecisionValue, string>> = {
  deny: 'Would deny',
  ask: 'Would ask',
  allow: 'Would allow',
  abstain: 'Abstained',
};

/** What was answered; where a rule was only watched, what it would have been. */
export function decisionLabel({
  decision,
  enforced_decision: would,
}: {
  readonly decision: DecisionValue;
  readonly enforced_decision: DecisionValue;
}): DecisionLabel {
  if (decision === 'abstain' && would !== 'abstain') return { state: 'partial', word: WOULD[would] };
  return SAID[decision];
}

/** `deny` as people read it in a sentence about a draft. */
export function enforcedLabel(decision: DecisionValue): DecisionLabel {
  return { state: SAID[decision].state, word: WOULD[decision] };
}

const EVENTS: Readonly<Record<HookEventKind, string>> = {
  shell: 'shell',
  tool: 'tool',
  prompt: 'prompt',
  file_read: 'reads a file',
  file_write: 'writes a file',
};

export function hookEventLabel(event: HookEventKind): string {
  return EVENTS[event];
}

/** A part of a text, and whether it is what a rule is about or what nobody can tell. */
export interface TextSegment {
  readonly text: string;
  readonly mark: 'hit' | 'unclear' | null;
}

interface CommandRange {
  readonly start: number;
  readonly end: number;
}

/** A command cut where marks begin and end; a rule's mark goes before one that says "unclear". */
export function splitAtRanges(
  text: string,
  hits: readonly CommandRange[],
  unclear: readonly CommandRange[],
): TextSegment[] {
  const cuts = [...hits, ...unclear].flatMap(({ start, end }) => [start, end]);
  const edges = [...new Set([0, ...cuts, text.length])].filter((at) => at >= 0 && at <= text.length);
  edges.sort((one, other) => one - other);
  const within = (places: readonly CommandRange[], at: number) =>
    places.some(({ start, end }) => start <= at && at < end);
  const pieces: TextSegment[] = [];
  for (const [index, from] of edges.slice(0, -1).entries()) {
    const mark = within(hits, from) ? 'hit' : within(unclear, from) ? 'unclear' : null;
    const piece = text.slice(from, edges[index + 1]);
    const last = pieces.at(-1);
    if (last?.mark === mark) pieces[pieces.length - 1] = { text: last.text + piece, mark };
    else pieces.push({ text: piece, mark });
  }
  return pieces;
}

/** The places of a simulation that rules are about. */
export function matchedRanges({ matches }: Pick<RelaySimulation, 'matches'>): CommandRange[] {
  return matches.flatMap(({ range }) => (range === null ? [] : [range]));
}

/** True when one of the places lies in the other. */
export function rangesOverlap(one: CommandRange, other: CommandRange): boolean {
  return one.start < other.end && other.start < one.end;
}

const TRAITS: Readonly<Record<string, string>> = {
  runs_input: 'runs what it is fed',
  runs_code: 'runs code',
  raises_privileges: 'raises privileges',
  injects: 'injects a command',
  unclear: 'cannot be analysed',
};

export function traitLabel(trait: string): string {
  return TRAITS[trait] ?? trait.replaceAll('_', ' ');
}

/** `Denied by no-force-push`: the outcome of a simulation in one line. */
export function summarizeSimulation(
  answer: Pick<RelaySimulation, 'decision' | 'enforced_decision' | 'rule'>,
): string {
  const { word } = decisionLabel(answer);
  if (answer.rule === null) return answer.decision === 'abstain' ? 'No rule is against it.' : `${word}.`;
  return `${word} by ${answer.rule}.`;
}
