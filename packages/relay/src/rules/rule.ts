import { type Condition, compileCondition, Unjudged } from '@floe/conditions/condition';
import type { FindingKind } from '@floe/conditions/detect/scan';
import { compileRegularExpression } from '@floe/conditions/regular-expression';
import { StepLimitExceeded, type StepMeter } from '@floe/conditions/steps';
import type { RelayRuleConfig } from '@floe/contract/config';
import type { RelayEventKind } from '@floe/contract/config/relay';
import type { ShellAnalysis, SimpleCommand } from '../shell/command.ts';
import { plainWord } from '../shell/word.ts';
import { either, type Match } from './match.ts';
import { type CommandMatcher, compileCommandPattern } from './match-command.ts';
import { compilePaths, type PathMatcher } from './paths.ts';
import { compileSchedule } from './schedule.ts';
import type { Subject, SubjectFile } from './subject.ts';
import { compileTool, type ToolMatcher } from './tool.ts';
import { RELAY_VOCABULARY } from './vocabulary.ts';
import { compileWho, type WhoMatcher } from './who.ts';

export type RuleDecision = 'allow' | 'deny' | 'ask';
export type RuleMode = 'observe' | 'warn' | 'enforce';

/** A rule, ready to be asked. */
export interface Rule {
  readonly name: string;
  readonly events: ReadonlySet<RelayEventKind>;
  readonly decision: RuleDecision;
  readonly mode: RuleMode;
  readonly onError: 'open' | 'closed';
  readonly message: { readonly user: string; readonly agent: string } | null;
  readonly matches: Matches;
  readonly detects: ReadonlySet<FindingKind> | null;
  readonly condition: Condition | null;
  readonly who: WhoMatcher;
  readonly holdsAt: (nowMs: number) => boolean;
  readonly exceptions: readonly Exception[];
}

/** The parts of `match`; null where it says nothing. */
export interface Matches {
  readonly command: CommandMatcher | null;
  readonly tool: ToolMatcher | null;
  readonly path: PathMatcher | null;
  readonly text: ((text: string, steps: StepMeter) => boolean) | null;
}

interface Exception {
  readonly untilMs: number;
  readonly matches: Matches;
  readonly who: WhoMatcher;
}

type MatchConfig = NonNullable<RelayRuleConfig['match']>;

/** @throws RuleProblem naming the field that cannot be compiled */
export function compileRule(config: RelayRuleConfig): Rule {
  const { name, on, mode, match, detect, who, schedule, when, except, decision, on_error, message } = config;
  return {
    name,
    events: new Set(on),
    decision,
    mode,
    onError: on_error,
    message: message === undefined ? null : spoken(message),
    matches: compileMatch(match, ['match']),
    detects:
      detect === undefined
        ? null
        : new Set([...(detect.secrets ? (['secret'] as const) : []), ...detect.pii]),
    condition: when === undefined ? null : compiled(['when'], () => compileCondition(when, RELAY_VOCABULARY)),
    who: compileWho(who),
    holdsAt: compileSchedule(schedule),
    exceptions: except.map(({ until, match, who }, at) => ({
      untilMs: until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until),
      matches: compileMatch(match, ['except', at, 'match']),
      who: compileWho(who),
    })),
  };
}

/** What is wrong with one field of a rule; `message` completes the sentence "<path>: …". */
export class RuleProblem extends Error {
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.path = path;
  }
}

function compiled<Result>(path: readonly (string | number)[], compile: () => Result): Result {
  try {
    return compile();
  } catch (error) {
    throw new RuleProblem(path, error instanceof Error ? error.message : String(error));
  }
}

function spoken(message: NonNullable<RelayRuleConfig['message']>) {
  if (typeof message === 'string') return { user: message, agent: message };
  return { user: message.user, agent: message.agent ?? message.user };
}

function compileMatch(match: MatchConfig | undefined, at: readonly (string | number)[]): Matches {
  if (match === undefined) return { command: null, tool: null, path: null, text: null };
  const texts = match.text?.map((pattern, n) =>
    compiled([...at, 'text', n], () => compileRegularExpression(pattern)),
  );
  return {
    command: compileCommandPattern(match),
    tool: compileTool(match),
    path: match.path ? compilePaths(match.path) : null,
    text: texts ? (text, steps) => texts.some((found) => found(text, steps)) : null,
  };
}

/** Why a rule applies to an event. */
export interface Applies {
  readonly match: 'maybe' | 'yes';
  readonly because: string;
  /** The command it is about; null for other events, and for the text as a whole. */
  readonly command: SimpleCommand | null;
  readonly file: SubjectFile | null;
}

/** Everywhere a rule applies to an event; nothing when it does not. */
export function applications(rule: Rule, subject: Subject): Applies[] {
  const { event, identity, nowMs } = subject;
  if (!rule.who(event, identity) || !rule.holdsAt(nowMs)) return [];
  const text = fitsText(rule.matches, subject);
  if (text === false || (text instanceof Unjudged && rule.decision === 'allow')) return [];
  const found = rule.detects === null ? '' : foundOf(rule.detects, subject);
  if (found === null) return [];
  const unread = text instanceof Unjudged ? `its text could not be judged (${text.because})` : '';
  const detected = [unread, found].filter(Boolean).join('; ');
  return candidates(rule, subject).flatMap((candidate) => {
    const applies = judged(rule, subject, candidate, detected);
    return applies && !isExcepted(rule, subject, applies) ? [applies] : [];
  });
}

type Candidate = Omit<Applies, 'because'>;

const WHOLE: Candidate = { match: 'yes', command: null, file: null };

/** What of an event fits the shape that a rule names. */
function candidates({ matches, events, condition }: Rule, subject: Subject): Candidate[] {
  const { event, shell } = subject;
  const found: Candidate[] = [];
  if (matches.path && (events.has('file_read') || events.has('file_write')))
    found.push(...files(matches.path, events, subject));
  if (!events.has(event.event)) return found;
  if (shell) {
    if (matches.command) found.push(...commands(matches.command, [...shell.commands, ...unclear(shell)]));
    else if (condition === null && !isAboutOthers(matches)) found.push(WHOLE);
    else if (!isAboutOthers(matches))
      found.push(WHOLE, ...shell.commands.map((command) => ({ ...WHOLE, command })));
  } else if (event.tool) {
    const match = matches.tool ? matches.tool(event.tool) : isAboutOthers(matches) ? 'no' : 'yes';
    if (match !== 'no') found.push({ ...WHOLE, match });
  } else if (event.prompt && !isAboutOthers(matches)) found.push(WHOLE);
  else if (event.file && !matches.path && !isAboutOthers(matches)) found.push(WHOLE);
  return found;
}

/** A pattern of commands, tools or paths fits nothing else. */
function isAboutOthers({ command, tool, path }: Matches): boolean {
  return command !== null || tool !== null || path !== null;
}

/** Stands for what cannot be analysed, so that `does: unclear` finds it. */
function unclear({ doubts }: ShellAnalysis): SimpleCommand[] {
  const [doubt] = doubts;
  if (!doubt) return [];
  const { start, end } = doubt;
  const nothing = { args: [], own: 0, implied: [], assignments: [], redirects: [], via: [] };
  return [{ ...nothing, name: null, word: plainWord('', doubt), traits: ['unclear'], start, end }];
}

function commands(fits: CommandMatcher, all: readonly SimpleCommand[]): Candidate[] {
  return all.flatMap((command) => {
    const match = fits(command);
    return match === 'no' ? [] : [{ match, command, file: null }];
  });
}

function files(fits: PathMatcher, events: Rule['events'], subject: Subject): Candidate[] {
  return subject.files().flatMap((file) => {
    if (!events.has(file.use === 'write' ? 'file_write' : 'file_read')) return [];
    const match = file.path === null ? 'no' : fits(file.path);
    return match === 'no' ? [] : [{ match, command: null, file }];
  });
}

function foundOf(detects: ReadonlySet<FindingKind>, subject: Subject): string | null {
  const seen = [...subject.found()].filter(([kind]) => detects.has(kind));
  return seen.length === 0 ? null : `found ${seen.map(([kind, count]) => `${count} ${kind}`).join(', ')}`;
}

/** A text that takes too many steps is not judged. */
function fitsText({ text }: Matches, subject: Subject): boolean | Unjudged {
  if (text === null) return true;
  try {
    return text(subject.text(), subject.steps);
  } catch (error) {
    if (error instanceof StepLimitExceeded) return new Unjudged(error.message);
    throw error;
  }
}

/** A condition that cannot be judged makes a rule that stops something apply, and one that allows not. */
function judged(
  { condition, decision }: Rule,
  subject: Subject,
  candidate: Candidate,
  detected: string,
): Applies | null {
  const doubt = candidate.match === 'maybe' ? 'it may be what the rule names' : '';
  if (condition === null)
    return {
      ...candidate,
      because: [doubt, detected].filter(Boolean).join('; ') || 'it is what the rule names',
    };
  const holds = condition.judge(subject.variables(candidate.command), subject.steps);
  if (holds === false) return null;
  if (holds === true)
    return { ...candidate, because: [doubt, detected].filter(Boolean).join('; ') || 'its condition is true' };
  return decision === 'allow'
    ? null
    : { ...candidate, because: `its condition could not be judged (${shown(holds)})` };
}

/** The library's words about names and types; anything else could repeat what was sent. */
function shown({ because }: Unjudged): string {
  return /^(?:field not found|no such key|found no matching overload|more than)/.test(because)
    ? because.slice(0, 160)
    : 'an operation in it failed';
}

function isExcepted({ exceptions, decision }: Rule, subject: Subject, { command, file }: Applies): boolean {
  return exceptions.some(({ untilMs, matches, who }) => {
    if (subject.nowMs >= untilMs || !who(subject.event, subject.identity)) return false;
    const fits = exceptionFits(matches, subject, command, file);
    // An exception opens a gate: what may be excepted is not, unless the rule itself opens one.
    return fits === 'yes' || (fits === 'maybe' && decision === 'allow');
  });
}

function exceptionFits(
  matches: Matches,
  subject: Subject,
  command: SimpleCommand | null,
  file: SubjectFile | null,
): Match {
  if (!isAboutOthers(matches)) return fitsText(matches, subject) === true ? 'yes' : 'no';
  let fits: Match = 'no';
  if (matches.command && command) fits = either(fits, matches.command(command));
  if (matches.path && file?.path) fits = either(fits, matches.path(file.path));
  if (matches.tool && subject.event.tool) fits = either(fits, matches.tool(subject.event.tool));
  return fits;
}
