import { type CompiledCondition, compileCondition, EvaluationFailure } from '@floe/conditions/condition';
import { type FindingKind, formatFindingCount } from '@floe/conditions/detect/sensitive-data-scan';
import { StepLimitExceededError, type StepMeter } from '@floe/conditions/step-meter';
import type { RelayRuleConfig } from '@floe/contract/config';
import type { RelayEventKind } from '@floe/contract/config/relay';
import type { ShellAnalysis, SimpleCommand } from '../shell/command.ts';
import { createLiteralWord } from '../shell/shell-word.ts';
import { compileRuleField } from './compile-rule-field.ts';
import { RELAY_CONDITION_VOCABULARY } from './condition-vocabulary.ts';
import { type CallerMatcher, compileCallerPattern } from './match-caller.ts';
import { type CommandMatcher, compileCommandPattern } from './match-command.ts';
import { combineAlternativeMatches, type MatchResult } from './match-result.ts';
import { compileToolPattern, type ToolMatcher } from './match-tool.ts';
import { compilePathPatterns, type PathMatcher } from './path-patterns.ts';
import { PatternCompiler } from './pattern-compiler.ts';
import type { PreparedEvent, PreparedEventFile } from './prepared-event.ts';
import { compileRuleSchedule } from './rule-schedule.ts';

/** The decision of a rule for the events that it matches. */
export type RuleDecision = 'allow' | 'deny' | 'ask';
/**
 * The mode of a rule: `observe` only records the match, `warn` also informs the user, `enforce` also
 * applies the decision.
 */
export type RuleMode = 'observe' | 'warn' | 'enforce';

/** A rule prepared for evaluation. */
export interface CompiledRule {
  readonly name: string;
  readonly events: ReadonlySet<RelayEventKind>;
  readonly decision: RuleDecision;
  readonly mode: RuleMode;
  readonly onError: 'open' | 'closed';
  readonly message: { readonly user: string; readonly agent: string } | null;
  readonly matches: RuleMatchers;
  readonly detects: ReadonlySet<FindingKind> | null;
  readonly condition: CompiledCondition | null;
  readonly matchesCaller: CallerMatcher;
  readonly isActiveAt: (nowMs: number) => boolean;
  readonly exceptions: readonly RuleException[];
}

/** The compiled fields of `match`. A field is null if the rule does not set it. */
export interface RuleMatchers {
  readonly command: CommandMatcher | null;
  readonly tool: ToolMatcher | null;
  readonly path: PathMatcher | null;
  readonly text: ((text: string, steps: StepMeter) => boolean) | null;
}

interface RuleException {
  readonly untilMs: number;
  readonly matches: RuleMatchers;
  readonly who: CallerMatcher;
}

type MatchConfig = NonNullable<RelayRuleConfig['match']>;

/** The cache of compiled rules. It never becomes outdated, because a changed rule is a new object. */
const compiledRules = new WeakMap<RelayRuleConfig, CompiledRule>();

/**
 * Prepares a rule for evaluation. Caches the result for each configuration object, because compiling the
 * regular expressions and the condition of a rule can take 30 ms each.
 * @throws InvalidRelayRuleError with the path of the invalid field
 */
export function compileRule(config: RelayRuleConfig): CompiledRule {
  const compiled = compiledRules.get(config) ?? compileUncached(config);
  compiledRules.set(config, compiled);
  return compiled;
}

function compileUncached(config: RelayRuleConfig): CompiledRule {
  const patterns = new PatternCompiler();
  const { name, on, mode, match, detect, who, schedule, when, except, decision, on_error, message } = config;
  const condition =
    when === undefined
      ? null
      : compileRuleField(['when'], () => compileCondition(when, RELAY_CONDITION_VOCABULARY));
  return {
    name,
    events: new Set(on),
    decision,
    mode,
    onError: on_error,
    message: message === undefined ? null : toMessages(message),
    matches: compileMatch({ match, at: ['match'], permits: decision === 'allow' }, patterns),
    detects:
      detect === undefined
        ? null
        : new Set([...(detect.secrets ? (['secret'] as const) : []), ...detect.pii]),
    condition,
    matchesCaller: compileCallerPattern(who),
    isActiveAt: compileRuleSchedule(schedule),
    exceptions: except.map(({ until, match, who }, at) => ({
      untilMs: until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until),
      matches: compileMatch({ match, at: ['except', at, 'match'], permits: true }, patterns),
      who: compileCallerPattern(who),
    })),
  };
}

function toMessages(message: NonNullable<RelayRuleConfig['message']>) {
  if (typeof message === 'string') return { user: message, agent: message };
  return { user: message.user, agent: message.agent ?? message.user };
}

/** The field `match` of a rule or of an exception. */
interface MatchField {
  readonly match: MatchConfig | undefined;
  readonly at: readonly (string | number)[];
  /** Whether a match permits the event: the rule allows, or the field belongs to an exception. */
  readonly permits: boolean;
}

function compileMatch({ match, at, permits }: MatchField, patterns: PatternCompiler): RuleMatchers {
  if (match === undefined) return { command: null, tool: null, path: null, text: null };
  const texts = match.text?.map((pattern, n) =>
    compileRuleField([...at, 'text', n], () => patterns.compile(pattern)),
  );
  return {
    command: compileCommandPattern(match, permits),
    tool: compileToolPattern(match, permits),
    path: match.path ? compilePathPatterns(match.path) : null,
    text: texts ? (text, steps) => texts.some((found) => found(text, steps)) : null,
  };
}

/** A part of an event that a rule matches. */
export interface RuleMatch {
  readonly match: 'maybe' | 'yes';
  readonly reason: string;
  /** The matched command. Null for other events, and for the text as a whole. */
  readonly command: SimpleCommand | null;
  readonly file: PreparedEventFile | null;
}

/**
 * Returns the parts of an event that a rule matches. Returns an empty list if there are none. If the rule
 * denies or asks, stops after the first certain match, because it determines the decision.
 */
export function findRuleMatches(rule: CompiledRule, subject: PreparedEvent): RuleMatch[] {
  const { event, identity, nowMs } = subject;
  if (!rule.matchesCaller(event, identity) || !rule.isActiveAt(nowMs)) return [];
  const text = matchText(rule.matches, subject);
  if (text === false || (text instanceof EvaluationFailure && rule.decision === 'allow')) return [];
  const found = rule.detects === null ? '' : describeFindings(rule.detects, subject);
  if (found === null) return [];
  const unread =
    text instanceof EvaluationFailure ? `its text pattern could not be evaluated (${text.reason})` : '';
  const detected = [unread, found].filter(Boolean).join('; ');
  const applying: RuleMatch[] = [];
  for (const candidate of findCandidates(rule, subject)) {
    const applies = evaluateCandidate(rule, subject, candidate, detected);
    if (!applies || isExcepted(rule, subject, applies)) continue;
    applying.push(applies);
    if (applies.match === 'yes' && rule.decision !== 'allow') break;
  }
  return applying;
}

type Candidate = Omit<RuleMatch, 'reason'>;

const WHOLE_EVENT: Candidate = { match: 'yes', command: null, file: null };

/** The text segments of an event that match the command, tool or path patterns of a rule. */
function findCandidates({ matches, events, condition }: CompiledRule, subject: PreparedEvent): Candidate[] {
  const { event, shell } = subject;
  const found: Candidate[] = [];
  if (matches.path && (events.has('file_read') || events.has('file_write')))
    found.push(...matchFiles(matches.path, events, subject));
  if (!events.has(event.event)) return found;
  if (shell) {
    if (matches.command)
      found.push(...matchCommands(matches.command, [...shell.commands, ...unclearCommands(shell)]));
    else if (condition === null && !hasShapeMatcher(matches)) found.push(WHOLE_EVENT);
    else if (!hasShapeMatcher(matches))
      found.push(WHOLE_EVENT, ...shell.commands.map((command) => ({ ...WHOLE_EVENT, command })));
  } else if (event.tool) {
    const match = matches.tool ? matches.tool(event.tool) : hasShapeMatcher(matches) ? 'no' : 'yes';
    if (match !== 'no') found.push({ ...WHOLE_EVENT, match });
  } else if (event.prompt && !hasShapeMatcher(matches)) found.push(WHOLE_EVENT);
  else if (event.file && !matches.path && !hasShapeMatcher(matches)) found.push(WHOLE_EVENT);
  return found;
}

/** Whether the rule has a pattern for commands, tools or paths, so that it matches nothing else. */
function hasShapeMatcher({ command, tool, path }: RuleMatchers): boolean {
  return command !== null || tool !== null || path !== null;
}

/** Represents spans that cannot be analyzed as commands, so that `does: unclear` matches them. */
function unclearCommands({ unclear }: ShellAnalysis): SimpleCommand[] {
  const [doubt] = unclear;
  if (!doubt) return [];
  const { start, end } = doubt;
  const nothing = { args: [], own: 0, implied: [], assignments: [], redirects: [], via: [] };
  return [{ ...nothing, name: null, word: createLiteralWord('', doubt), traits: ['unclear'], start, end }];
}

function matchCommands(fits: CommandMatcher, all: readonly SimpleCommand[]): Candidate[] {
  return all.flatMap((command) => {
    const match = fits(command);
    return match === 'no' ? [] : [{ match, command, file: null }];
  });
}

function matchFiles(fits: PathMatcher, events: CompiledRule['events'], subject: PreparedEvent): Candidate[] {
  return subject.files().flatMap((file) => {
    if (!events.has(file.use === 'write' ? 'file_write' : 'file_read')) return [];
    const match = fits(file.path, subject.pathSteps);
    return match === 'no' ? [] : [{ match, command: null, file }];
  });
}

function describeFindings(detects: ReadonlySet<FindingKind>, subject: PreparedEvent): string | null {
  const seen = [...subject.findings()].filter(([kind]) => detects.has(kind));
  const counts = seen.map(([kind, count]) => formatFindingCount(kind, count));
  return counts.length === 0 ? null : `found ${counts.join(', ')}`;
}

/** Matches the text pattern. If matching needs too many steps, this is a failure. */
function matchText({ text }: RuleMatchers, subject: PreparedEvent): boolean | EvaluationFailure {
  if (text === null) return true;
  try {
    return (
      text(subject.text(), subject.steps) ||
      (subject.event.tool !== undefined && text(subject.escapedStrings(), subject.steps))
    );
  } catch (error) {
    if (error instanceof StepLimitExceededError) return new EvaluationFailure(error.message);
    throw error;
  }
}

/**
 * Evaluates the condition of a rule. If it fails, a rule that denies or asks matches, and a rule that allows
 * does not.
 */
function evaluateCandidate(
  { condition, decision }: CompiledRule,
  subject: PreparedEvent,
  candidate: Candidate,
  detected: string,
): RuleMatch | null {
  const doubt = candidate.match === 'maybe' ? 'the rule might match' : '';
  if (condition === null)
    return {
      ...candidate,
      reason: [doubt, detected].filter(Boolean).join('; ') || 'the rule matches',
    };
  const holds = condition.evaluate(subject.variables(candidate.command), subject.steps);
  if (holds === false) return null;
  if (holds === true)
    return { ...candidate, reason: [doubt, detected].filter(Boolean).join('; ') || 'its condition is true' };
  return decision === 'allow'
    ? null
    : { ...candidate, reason: `its condition could not be evaluated (${safeReason(holds)})` };
}

/**
 * The message of a failure. Returns only messages about names and types, because others could contain event
 * data.
 */
function safeReason({ reason }: EvaluationFailure): string {
  return /^(?:field not found|no such key|found no matching overload|more than)/.test(reason)
    ? reason.slice(0, 160)
    : 'an operation in the condition failed';
}

function isExcepted(
  { exceptions, decision }: CompiledRule,
  subject: PreparedEvent,
  { command, file }: RuleMatch,
): boolean {
  return exceptions.some(({ untilMs, matches, who }) => {
    if (subject.nowMs >= untilMs || !who(subject.event, subject.identity)) return false;
    const fits = matchException(matches, subject, command, file);
    // An exception weakens a rule, so it must certainly match. For a rule that allows, a possible match is
    // enough.
    return fits === 'yes' || (fits === 'maybe' && decision === 'allow');
  });
}

function matchException(
  matches: RuleMatchers,
  subject: PreparedEvent,
  command: SimpleCommand | null,
  file: PreparedEventFile | null,
): MatchResult {
  if (matchText(matches, subject) !== true) return 'no';
  if (!hasShapeMatcher(matches)) return 'yes';
  let fits: MatchResult = 'no';
  if (matches.command && command) fits = combineAlternativeMatches(fits, matches.command(command));
  if (matches.path && file)
    fits = combineAlternativeMatches(fits, matches.path(file.path, subject.pathSteps));
  if (matches.tool && subject.event.tool)
    fits = combineAlternativeMatches(fits, matches.tool(subject.event.tool));
  return fits;
}
