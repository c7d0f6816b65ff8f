import { countFindingsInJson, countFindingsInText } from '@floe/conditions/detect/redact';
import type { FindingKind } from '@floe/conditions/detect/sensitive-data-scan';
import { StepLimitExceededError, StepMeter } from '@floe/conditions/step-meter';
import type { ConditionValue, ConditionVariables } from '@floe/conditions/vocabulary';
import type { RelayEvent } from '@floe/contract/api/relay';
import { analyzeShellCode } from '../shell/analyze-shell-code.ts';
import type { ShellAnalysis, SimpleCommand } from '../shell/command.ts';
import type { ShellParser } from '../shell/shell-parser.ts';
import { type CallerIdentity, normalizeRepositoryName } from './match-caller.ts';
import { toConditionWords } from './match-command.ts';
import {
  ANY_PATH,
  cleanSegments,
  countNormalizationSteps,
  type NormalizedPath,
  normalizePath,
  type PathContext,
  UNKNOWN_FILE_PATH,
} from './path-patterns.ts';
import { type FileAccess, findDirectoryChanges, findFileAccesses } from './shell-files.ts';

const ALL_FINDING_KINDS: ReadonlySet<FindingKind> = new Set([
  'secret',
  'email',
  'phone',
  'credit_card',
  'iban',
  'us_ssn',
]);

/** Characters that JSON replaces with escape sequences. */
const ESCAPED_BY_JSON = /["\\\0-\x1f]|[^\P{Cs}]/u;

/** A file that an event accesses. */
export interface PreparedEventFile {
  readonly use: 'read' | 'write';
  readonly path: NormalizedPath;
  readonly start: number;
  readonly end: number;
}

/** An event, prepared for matching rules. Each derived value is computed once, when a rule first needs it. */
export class PreparedEvent {
  readonly event: RelayEvent;
  readonly identity: CallerIdentity;
  readonly nowMs: number;
  readonly shell: ShellAnalysis | null;
  /** The step budget that all rules share. */
  readonly steps = new StepMeter();
  /** The step budget for the paths of the files. */
  readonly pathSteps = new StepMeter();
  #files: readonly PreparedEventFile[] | null = null;
  readonly #variables = new Map<SimpleCommand | null, ConditionVariables>();
  #text: string | null = null;
  #escapedStrings: string | null = null;
  #findings: ReadonlyMap<FindingKind, number> | null = null;

  constructor(grammar: ShellParser | null, event: RelayEvent, identity: CallerIdentity, nowMs: number) {
    this.event = event;
    this.identity = identity;
    this.nowMs = nowMs;
    this.shell = event.shell ? analyzeShellField(grammar, event.shell) : null;
  }

  files(): readonly PreparedEventFile[] {
    this.#files ??= this.#allFiles();
    return this.#files;
  }

  /** The text that detectors and text patterns search. The arguments of a tool are JSON. */
  text(): string {
    this.#text ??= this.#allText();
    return this.#text;
  }

  /**
   * The strings in the arguments of a tool that JSON escapes, without the escapes, separated by NUL. The other strings
   * are in `text()`. Empty for other events.
   */
  escapedStrings(): string {
    this.#escapedStrings ??= collectStrings(this.event.tool?.arguments)
      .filter((text) => ESCAPED_BY_JSON.test(text))
      .join('\0');
    return this.#escapedStrings;
  }

  findings(): ReadonlyMap<FindingKind, number> {
    this.#findings ??= this.event.tool
      ? countFindingsInJson(this.text(), ALL_FINDING_KINDS)
      : countFindingsInText(this.text(), ALL_FINDING_KINDS);
    return this.#findings;
  }

  /** The variables of a condition for one command, created once per command. */
  variables(command: SimpleCommand | null): ConditionVariables {
    let variables = this.#variables.get(command);
    if (!variables) {
      variables = this.#variablesBeside(command);
      this.#variables.set(command, variables);
    }
    return variables;
  }

  #variablesBeside(command: SimpleCommand | null): ConditionVariables {
    const { agent, session_id, user, cwd, repository, tool, prompt, file, event } = this.event;
    const { key, team, owner } = this.identity;
    return {
      event,
      key,
      team: team ?? '',
      owner: owner ?? '',
      user: user ?? '',
      session: session_id ?? '',
      cwd: cwd ?? '',
      path: file?.path ?? '',
      agent: textMap({ name: agent.name, version: agent.version, mode: agent.permission_mode }),
      repository: textMap({
        remote: repository?.remote === undefined ? '' : normalizeRepositoryName(repository.remote),
        branch: repository?.branch,
      }),
      shell: new Map<string, ConditionValue>([
        ['text', this.shell?.text ?? ''],
        ['commands', (this.shell?.commands ?? []).map(({ name }) => name ?? '')],
        ['unclear', (this.shell?.unclear.length ?? 0) > 0],
      ]),
      command: new Map<string, ConditionValue>([
        ['name', command?.name ?? ''],
        ['path', command?.word.text ?? ''],
        ['args', toConditionWords(command?.args ?? [])],
        ['via', [...(command?.via ?? [])]],
      ]),
      tool: new Map<string, ConditionValue>([
        ['name', tool?.name ?? ''],
        ['url', tool?.url ?? ''],
        ['command', tool?.command ?? ''],
        ['label', tool?.server ?? ''],
        ['arguments', toConditionValue(tool?.arguments ?? {}, 0)],
      ]),
      prompt: new Map<string, ConditionValue>([
        ['text', prompt?.text ?? ''],
        ['attachments', (prompt?.attachments ?? []).map(({ path }) => path)],
      ]),
    };
  }

  #allText(): string {
    const { shell, tool, prompt, file } = this.event;
    if (tool) return JSON.stringify(tool.arguments);
    return shell?.command ?? prompt?.text ?? file?.content ?? '';
  }

  #allFiles(): PreparedEventFile[] {
    const { file, prompt, cwd = '', home_dir: home = null, event } = this.event;
    const changes = this.shell ? findDirectoryChanges(this.shell) : [];
    const directories = resolveDirectories(cwd, changes);
    const context = { directories: directories ?? [], home, isUnlimited: directories === null };
    const found: FileAccess[] = this.shell ? findFileAccesses(this.shell) : [];
    const whole = { start: 0, end: 0 };
    const use = event === 'file_write' ? 'write' : 'read';
    if (file?.path === UNKNOWN_FILE_PATH) return [{ ...whole, use, path: ANY_PATH }];
    if (file) found.push({ ...whole, use, path: file.path });
    for (const { path } of prompt?.attachments ?? []) found.push({ ...whole, use: 'read', path });
    return this.#normalizeFiles(found, context);
  }

  /** Normalizes each different path once. If there are too many, the event may access any other file. */
  #normalizeFiles(accesses: readonly FileAccess[], context: EventPathContext): PreparedEventFile[] {
    const files = new Map<string, PreparedEventFile>();
    try {
      for (const access of accesses) {
        const { use, path } = access;
        if (path === null || files.has(`${use} ${path}`)) continue;
        this.pathSteps.charge(countNormalizationSteps(path, context));
        const isAny = context.isUnlimited && !isAbsolute(path);
        files.set(`${use} ${path}`, { ...access, path: isAny ? ANY_PATH : normalizePath(path, context) });
      }
    } catch (error) {
      if (!(error instanceof StepLimitExceededError)) throw error;
      const place = { start: 0, end: this.shell?.text.length ?? 0 };
      const others = (['read', 'write'] as const).map((use) => ({ ...place, use, path: ANY_PATH }));
      return [...files.values(), ...others];
    }
    return [...files.values()];
  }
}

function analyzeShellField(
  grammar: ShellParser | null,
  { command, dialect }: NonNullable<RelayEvent['shell']>,
) {
  if (grammar === null) throw new Error('cannot analyze a shell command before the shell grammar is loaded');
  return analyzeShellCode(grammar, command, dialect);
}

interface EventPathContext extends PathContext {
  /** Whether there are so many directories that a relative path may be any path. */
  readonly isUnlimited: boolean;
}

const MAX_DIRECTORIES = 64;

/**
 * Returns the working directory and the directories to which commands may change from it. Empty if one of them is
 * unknown, and null if there are too many.
 */
function resolveDirectories(cwd: string, changes: readonly (string | null)[]): readonly string[] | null {
  const directories = new Set(cwd === '' ? [] : [cwd]);
  for (const change of changes) {
    if (change === null) return [];
    const targets = isAbsolute(change) ? [change] : [...directories].map((base) => `${base}/${change}`);
    for (const target of targets) directories.add(cleanSegments(target));
    if (directories.size > MAX_DIRECTORIES) return null;
  }
  return [...directories];
}

function isAbsolute(path: string): boolean {
  return /^[/~]/.test(path);
}

function textMap(texts: Readonly<Record<string, string | undefined>>): ConditionValue {
  return new Map(Object.entries(texts).map(([name, text]) => [name, text ?? '']));
}

/** Returns the strings and the member names in a JSON value of any depth. */
function collectStrings(value: unknown): string[] {
  const strings: string[] = [];
  const values = [value];
  while (values.length > 0) {
    const next = values.pop();
    if (typeof next === 'string') strings.push(next);
    else if (Array.isArray(next)) for (const entry of next) values.push(entry);
    else if (typeof next === 'object' && next !== null)
      for (const [name, entry] of Object.entries(next)) values.push(entry, name);
  }
  return strings;
}

const MAX_DEPTH = 8;

/** Converts JSON to a value of a condition. */
function toConditionValue(value: unknown, depth: number): ConditionValue {
  if (depth > MAX_DEPTH) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map((entry) => toConditionValue(entry, depth + 1));
  if (typeof value !== 'object' || value === null) return null;
  return new Map(Object.entries(value).map(([name, entry]) => [name, toConditionValue(entry, depth + 1)]));
}
