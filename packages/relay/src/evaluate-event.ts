import type { RelayEvent } from '@floe/contract/api/relay';
import type { CompiledRelayConfig } from './compile-relay-config.ts';
import {
  type CompiledRule,
  findRuleMatches,
  type RuleDecision,
  type RuleMatch,
  type RuleMode,
} from './rules/compile-rule.ts';
import type { CallerIdentity } from './rules/match-caller.ts';
import { PreparedEvent } from './rules/prepared-event.ts';
import type { ShellAnalysis, SimpleCommand } from './shell/command.ts';
import { isOutputVariable } from './shell/environment-effects.ts';
import type { ShellParser } from './shell/shell-parser.ts';

/** The name of the built-in rule for commands that cannot be analyzed. */
export const UNCLEAR_COMMAND_RULE_NAME = 'unclear-command';

/** A rule that matches, and the part of the event that it matches. */
export interface MatchedRule {
  readonly rule: string;
  /** The decision of the rule, or `ask` if it is uncertain whether the rule matches. */
  readonly decision: RuleDecision;
  /** The mode of the rule. `observe` if the mode of the organization is `observe`. */
  readonly mode: RuleMode;
  readonly reason: string;
  /** Position in the shell command. Null for other events. */
  readonly place: { readonly start: number; readonly end: number } | null;
  /** The matched simple command. Commands wrapped by the same `sudo` share their position. */
  readonly command: SimpleCommand | null;
}

/** The result of evaluating an organization's rules against an event. */
export interface RelayEvaluation {
  readonly decision: RuleDecision | 'abstain';
  /** The decision if every rule were in the mode `enforce`. */
  readonly would: RuleDecision | 'abstain';
  /** The rule that determined the decision. If there is none, the strictest rule in another mode. */
  readonly hit: MatchedRule | null;
  readonly hits: readonly MatchedRule[];
  readonly userMessage: string | null;
  readonly agentMessage: string | null;
  /** Whether a client allows (`open`) or denies (`closed`) such an event if it gets no decision. */
  readonly onError: 'open' | 'closed';
  readonly findings: readonly { readonly kind: string; readonly count: number }[];
  readonly shell: ShellAnalysis | null;
}

/** Everything that `evaluateRelayEvent` needs in addition to the event. */
export interface RelayEvaluationInput {
  readonly relay: CompiledRelayConfig;
  /** Required for shell commands only. */
  readonly grammar: ShellParser | null;
  readonly identity: CallerIdentity;
  readonly nowMs: number;
  /** Rules with the decision `ask` that a member has approved for this event. */
  readonly approved?: ReadonlySet<string>;
}

const STRICTNESS: readonly (RuleDecision | 'abstain')[] = ['abstain', 'allow', 'ask', 'deny'];

/**
 * Decides on one event. If several rules match, the strictest decision applies. Has no side effects and never
 * throws. The amount of work depends on the size of the event and the number of rules. `analyzeShellCode`
 * limits the work for shell commands.
 */
export function evaluateRelayEvent(event: RelayEvent, parts: RelayEvaluationInput): RelayEvaluation {
  const steps = evaluateRules(event, parts);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/**
 * Like `evaluateRelayEvent`, but waits for `endStep` after each rule, so that an organization with many rules
 * does not block the event loop.
 */
export async function evaluateRelayEventInSteps(
  event: RelayEvent,
  parts: RelayEvaluationInput,
  endStep: () => Promise<void>,
): Promise<RelayEvaluation> {
  const steps = evaluateRules(event, parts);
  let step = steps.next();
  while (!step.done) {
    await endStep();
    step = steps.next();
  }
  return step.value;
}

function* evaluateRules(event: RelayEvent, parts: RelayEvaluationInput): Generator<void, RelayEvaluation> {
  const { relay, grammar, identity, nowMs, approved } = parts;
  const subject = new PreparedEvent(grammar, event, identity, nowMs);
  const rules = relay.byEvent.get(event.event) ?? [];
  const hits: MatchedRule[] = [];
  const allowing: AllowingRule[] = [];
  for (const rule of rules) {
    const applies = findRuleMatches(rule, subject);
    yield;
    if (applies.length === 0) continue;
    if (rule.decision === 'allow') allowing.push({ rule, ...toAllowedParts(applies) });
    else if (!approved?.has(rule.name)) hits.push(createHit(rule, applies, relay));
  }
  const unclear = createUnclearHit(subject, rules, relay);
  if (unclear && !approved?.has(UNCLEAR_COMMAND_RULE_NAME)) hits.push(unclear);
  const allow = findAllowHit(subject, allowing, relay);
  if (allow) hits.push(allow);
  return {
    ...combineHits(hits, relay),
    onError: resolveOnError(rules, event),
    findings: countFindings(rules, subject),
    shell: subject.shell,
  };
}

function effectiveMode(mode: RuleMode, { config }: CompiledRelayConfig): RuleMode {
  return config.mode === 'enforce' ? mode : 'observe';
}

function createHit(
  { name, decision, mode }: CompiledRule,
  applies: readonly RuleMatch[],
  relay: CompiledRelayConfig,
): MatchedRule {
  const certain = applies.find(({ match }) => match === 'yes');
  const chosen = certain ?? applies[0];
  return {
    rule: name,
    decision: certain ? decision : 'ask',
    mode: effectiveMode(mode, relay),
    reason: chosen?.reason ?? '',
    place: spanOf(chosen?.command ?? chosen?.file ?? null),
    command: chosen?.command ?? null,
  };
}

function spanOf(thing: { readonly start: number; readonly end: number } | null) {
  return thing && { start: thing.start, end: thing.end };
}

/**
 * A command that cannot be analyzed may be any command, so it needs an approval if any rule stops commands.
 */
function createUnclearHit(
  { shell, event, identity, nowMs }: PreparedEvent,
  rules: readonly CompiledRule[],
  relay: CompiledRelayConfig,
): MatchedRule | null {
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
    rule: UNCLEAR_COMMAND_RULE_NAME,
    decision: 'ask',
    mode: effectiveMode(mode, relay),
    reason: doubt.reason,
    place: spanOf(doubt),
    command: null,
  };
}

/** A rule that allows, and the parts of the event that it certainly matches. */
interface AllowingRule {
  readonly rule: CompiledRule;
  readonly isWholeEvent: boolean;
  readonly commands: readonly SimpleCommand[];
}

function toAllowedParts(applies: readonly RuleMatch[]): Omit<AllowingRule, 'rule'> {
  const certain = applies.filter(({ match }) => match === 'yes');
  const commands = certain.flatMap(({ command }) => command ?? []);
  return { isWholeEvent: certain.length > 0, commands };
}

const MODES_BY_STRENGTH = ['enforce', 'warn', 'observe'] as const;

/**
 * Returns a hit if rules allow the whole event: every command in the shell code, with every word known. Its mode is
 * the strongest mode for which the rules with this mode or a stronger one together allow the whole event.
 */
function findAllowHit(
  subject: PreparedEvent,
  allowing: readonly AllowingRule[],
  relay: CompiledRelayConfig,
): MatchedRule | null {
  const rules = allowing.filter(({ isWholeEvent }) => isWholeEvent);
  if (rules.length === 0) return null;
  for (const [at, mode] of MODES_BY_STRENGTH.entries()) {
    const modes: readonly RuleMode[] = MODES_BY_STRENGTH.slice(0, at + 1);
    const enough = rules.filter(({ rule }) => modes.includes(rule.mode));
    const named = enough.find(({ rule }) => rule.mode === mode);
    if (named && allowsWholeEvent(subject, enough))
      return {
        rule: named.rule.name,
        decision: 'allow',
        mode: effectiveMode(mode, relay),
        reason: 'the rule matches',
        place: null,
        command: null,
      };
  }
  return null;
}

function allowsWholeEvent({ shell }: PreparedEvent, rules: readonly AllowingRule[]): boolean {
  if (!shell) return true;
  if (shell.unclear.length > 0 || shell.commands.length === 0) return false;
  // Another variable, such as PATH, can make a command run a different program.
  if (![...shell.variables].every(isOutputVariable)) return false;
  const covered = new Set(rules.flatMap(({ commands }) => commands));
  return shell.commands.every((command) => covered.has(command) && isStatic(command));
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
  hits: readonly MatchedRule[],
  relay: CompiledRelayConfig,
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

function strictestHit(hits: readonly MatchedRule[]): MatchedRule | null {
  let most: MatchedRule | null = null;
  for (const hit of hits)
    if (most === null || STRICTNESS.indexOf(hit.decision) > STRICTNESS.indexOf(most.decision)) most = hit;
  return most;
}

function hitMessages(
  { rule, decision, mode, reason }: MatchedRule,
  { rules }: CompiledRelayConfig,
): { readonly user: string; readonly agent: string } {
  const own = rules.find(({ name }) => name === rule)?.message;
  if (own) return { user: `${own.user} (rule "${rule}")`, agent: `${own.agent} (rule "${rule}")` };
  if (rule === UNCLEAR_COMMAND_RULE_NAME)
    return {
      user: `This command cannot be checked: ${reason}.`,
      agent: `This command cannot be checked: ${reason}. Rewrite it in a simple form: literal command names and options, one command at a time.`,
    };
  if (mode === 'warn') return { user: `The rule "${rule}" advises against this action.`, agent: '' };
  return decision === 'deny'
    ? {
        user: `The rule "${rule}" does not allow this action.`,
        agent: `The rule "${rule}" does not allow this action. Use a different approach, or ask the user.`,
      }
    : {
        user: `The rule "${rule}" requires a person to approve this action first.`,
        agent: `The rule "${rule}" requires a person to approve this action first.`,
      };
}

function resolveOnError(rules: readonly CompiledRule[], { event }: RelayEvent): 'open' | 'closed' {
  const isClosed = rules.some(
    (rule) => rule.onError === 'closed' && rule.mode === 'enforce' && rule.events.has(event),
  );
  return isClosed ? 'closed' : 'open';
}

/** Counts detections by kind, for all kinds that any rule for the event uses. */
function countFindings(rules: readonly CompiledRule[], subject: PreparedEvent): RelayEvaluation['findings'] {
  if (!rules.some(({ detects }) => detects !== null)) return [];
  const wanted = new Set(rules.flatMap(({ detects }) => [...(detects ?? [])]));
  return [...subject.findings()]
    .filter(([kind]) => wanted.has(kind))
    .map(([kind, count]) => ({ kind, count }));
}
