import type { RelayEvent } from '@floe/contract/api/relay';
import type { CompiledRelay } from './compile-relay.ts';
import {
  type CompiledRule,
  findRuleApplications,
  type RuleApplication,
  type RuleDecision,
  type RuleMode,
} from './rules/compile-rule.ts';
import type { CallerIdentity } from './rules/match-caller.ts';
import { RuleInput } from './rules/rule-input.ts';
import type { ShellAnalysis, SimpleCommand } from './shell/command.ts';
import type { ShellGrammar } from './shell/grammar.ts';

/** Name of what stops a command that cannot be analysed. */
export const UNCLEAR_COMMAND_RULE = 'unclear-command';

/** One rule that applies, and where. */
export interface RuleHit {
  readonly rule: string;
  /** A `deny` of which nobody can tell whether it applies asks. */
  readonly decision: RuleDecision;
  /** The rule's, or the org's where that is milder. */
  readonly mode: RuleMode;
  readonly reason: string;
  /** Positions in the shell text; null for other events. */
  readonly place: { readonly start: number; readonly end: number } | null;
  /** The simple command it is about: those behind `sudo` and the like share its place. */
  readonly command: SimpleCommand | null;
}

/** What the rules of an org say about an event. */
export interface RelayEvaluation {
  readonly decision: RuleDecision | 'abstain';
  /** What it would be if every rule were enforced. */
  readonly would: RuleDecision | 'abstain';
  /** The rule behind the decision; without one, the strictest of those that only watch. */
  readonly hit: RuleHit | null;
  readonly hits: readonly RuleHit[];
  readonly userMessage: string | null;
  readonly agentMessage: string | null;
  /** What a client does that gets no decision for such an event. */
  readonly onError: 'open' | 'closed';
  readonly findings: readonly { readonly kind: string; readonly count: number }[];
  readonly shell: ShellAnalysis | null;
}

export interface RelayEvaluationInput {
  readonly relay: CompiledRelay;
  /** Needed for shell commands only. */
  readonly grammar: ShellGrammar | null;
  readonly identity: CallerIdentity;
  readonly nowMs: number;
  /** Rules that ask and were answered with yes for this event. */
  readonly approved?: ReadonlySet<string>;
}

const STRICTNESS: readonly (RuleDecision | 'abstain')[] = ['abstain', 'allow', 'ask', 'deny'];

/**
 * Decides about one event: the strictest rule that applies. Pure; never throws for anything an event may hold. Work
 * is bounded by the limits of `analyzeShell` and the size of the event.
 */
export function evaluateRelayEvent(event: RelayEvent, parts: RelayEvaluationInput): RelayEvaluation {
  const { relay, grammar, identity, nowMs, approved } = parts;
  const subject = new RuleInput(grammar, event, identity, nowMs);
  const rules = relay.byEvent.get(event.event) ?? [];
  const hits: RuleHit[] = [];
  const allowing: { readonly rule: CompiledRule; readonly applies: readonly RuleApplication[] }[] = [];
  for (const rule of rules) {
    const applies = findRuleApplications(rule, subject);
    if (applies.length === 0) continue;
    if (rule.decision === 'allow') allowing.push({ rule, applies });
    else if (!approved?.has(rule.name)) hits.push(createHit(rule, applies, relay));
  }
  const unclear = createUnclearHit(subject, rules, relay);
  if (unclear && !approved?.has(UNCLEAR_COMMAND_RULE)) hits.push(unclear);
  const allow = findAllowHit(subject, allowing, relay);
  if (allow) hits.push(allow);
  return {
    ...combineHits(hits, relay),
    onError: resolveOnError(rules, event),
    findings: countFindings(rules, subject),
    shell: subject.shell,
  };
}

function effectiveMode(mode: RuleMode, { config }: CompiledRelay): RuleMode {
  return config.mode === 'enforce' ? mode : 'observe';
}

function createHit(
  { name, decision, mode }: CompiledRule,
  applies: readonly RuleApplication[],
  relay: CompiledRelay,
): RuleHit {
  const certain = applies.find(({ match }) => match === 'yes');
  const chosen = certain ?? applies[0];
  return {
    rule: name,
    decision: certain ? decision : 'ask',
    mode: effectiveMode(mode, relay),
    reason: chosen?.because ?? '',
    place: spanOf(chosen?.command ?? chosen?.file ?? null),
    command: chosen?.command ?? null,
  };
}

function spanOf(thing: { readonly start: number; readonly end: number } | null) {
  return thing && { start: thing.start, end: thing.end };
}

/** A command that cannot be analysed may be any command, so wherever one is stopped it asks. */
function createUnclearHit(
  { shell, event, identity, nowMs }: RuleInput,
  rules: readonly CompiledRule[],
  relay: CompiledRelay,
): RuleHit | null {
  const [doubt] = shell?.unclear ?? [];
  if (!doubt) return null;
  const stopping = rules.filter(
    (rule) =>
      rule.events.has('shell') &&
      rule.decision !== 'allow' &&
      rule.matchesCaller(event, identity) &&
      rule.isActiveAt(nowMs),
  );
  if (stopping.length === 0) return null;
  const mode =
    (['enforce', 'warn'] as const).find((wanted) => stopping.some((rule) => rule.mode === wanted)) ??
    'observe';
  return {
    rule: UNCLEAR_COMMAND_RULE,
    decision: 'ask',
    mode: effectiveMode(mode, relay),
    reason: doubt.because,
    place: spanOf(doubt),
    command: null,
  };
}

/** Whether rules allow all of an event: every command of a shell text, each of whose words is known. */
function findAllowHit(
  { shell }: RuleInput,
  allowing: readonly { readonly rule: CompiledRule; readonly applies: readonly RuleApplication[] }[],
  relay: CompiledRelay,
): RuleHit | null {
  const [first] = allowing;
  if (!first) return null;
  const { rule } = first;
  const hit: RuleHit = {
    rule: rule.name,
    decision: 'allow',
    mode: effectiveMode(rule.mode, relay),
    reason: 'the rule matches',
    place: null,
    command: null,
  };
  if (!shell)
    return allowing.some(({ applies }) => applies.some(({ match }) => match === 'yes')) ? hit : null;
  if (shell.unclear.length > 0 || shell.commands.length === 0) return null;
  const covered = new Set<SimpleCommand>();
  for (const { applies } of allowing)
    for (const { match, command } of applies) if (match === 'yes' && command) covered.add(command);
  return shell.commands.every((command) => covered.has(command) && isStatic(command)) ? hit : null;
}

function isStatic({ args, redirects, traits }: SimpleCommand): boolean {
  if (traits.includes('runs_code') || traits.includes('runs_input')) return false;
  const isKnown = args.every(({ text, certain, splits }) => text !== null && certain && !splits);
  return (
    isKnown &&
    redirects.every(
      ({ operator, target }) => operator === '<' || /^(?:\d|\/dev\/null)$/.test(target.text ?? ''),
    )
  );
}

function combineHits(
  hits: readonly RuleHit[],
  relay: CompiledRelay,
): Pick<RelayEvaluation, 'decision' | 'would' | 'hit' | 'hits' | 'userMessage' | 'agentMessage'> {
  const enforced = strictestHit(hits.filter(({ mode }) => mode === 'enforce'));
  const warned = strictestHit(hits.filter(({ mode }) => mode === 'warn'));
  const hit = enforced ?? warned ?? strictestHit(hits);
  const decision = enforced?.decision ?? 'abstain';
  const spoken =
    hit !== null && hit.mode !== 'observe' && hit.decision !== 'allow' ? hitMessages(hit, relay) : null;
  return {
    decision,
    would: strictestHit(hits)?.decision ?? 'abstain',
    hit,
    hits,
    userMessage: spoken?.user ?? null,
    agentMessage: decision === 'abstain' ? null : (spoken?.agent ?? null),
  };
}

function strictestHit(hits: readonly RuleHit[]): RuleHit | null {
  let most: RuleHit | null = null;
  for (const hit of hits)
    if (most === null || STRICTNESS.indexOf(hit.decision) > STRICTNESS.indexOf(most.decision)) most = hit;
  return most;
}

function hitMessages(
  { rule, decision, mode, reason }: RuleHit,
  { rules }: CompiledRelay,
): { readonly user: string; readonly agent: string } {
  const own = rules.find(({ name }) => name === rule)?.message;
  if (own) return { user: `${own.user} (rule "${rule}")`, agent: `${own.agent} (rule "${rule}")` };
  if (rule === UNCLEAR_COMMAND_RULE)
    return {
      user: `This command cannot be checked: ${reason}.`,
      agent: `This command cannot be checked: ${reason}. Rewrite it in a simple form: literal command names and options, one command at a time.`,
    };
  if (mode === 'warn') return { user: `The rule "${rule}" advises against this.`, agent: '' };
  return decision === 'deny'
    ? {
        user: `The rule "${rule}" does not allow this.`,
        agent: `The rule "${rule}" does not allow this. Use a different approach, or ask the user.`,
      }
    : {
        user: `The rule "${rule}" requires a person to approve this first.`,
        agent: `The rule "${rule}" requires a person to approve this first.`,
      };
}

function resolveOnError(rules: readonly CompiledRule[], { event }: RelayEvent): 'open' | 'closed' {
  const isClosed = rules.some(
    (rule) => rule.onError === 'closed' && rule.mode === 'enforce' && rule.events.has(event),
  );
  return isClosed ? 'closed' : 'open';
}

/** Counts by kind, of what any rule for the event looks for. */
function countFindings(rules: readonly CompiledRule[], subject: RuleInput): RelayEvaluation['findings'] {
  if (!rules.some(({ detects }) => detects !== null)) return [];
  const wanted = new Set(rules.flatMap(({ detects }) => [...(detects ?? [])]));
  return [...subject.findings()]
    .filter(([kind]) => wanted.has(kind))
    .map(([kind, count]) => ({ kind, count }));
}
