import { findInJson, findInText } from '@floe/conditions/detect/json-texts';
import type { FindingKind } from '@floe/conditions/detect/scan';
import { StepMeter } from '@floe/conditions/steps';
import type { Variable, Variables } from '@floe/conditions/vocabulary';
import type { RelayEvent } from '@floe/contract/api/relay';
import { analyseShell } from '../shell/analyse.ts';
import type { ShellAnalysis, SimpleCommand } from '../shell/command.ts';
import type { Grammar } from '../shell/tree.ts';
import { knownTexts } from './match-command.ts';
import { type KnownPath, knownPath } from './paths.ts';
import { directoriesOf, type FileUse, filesOf } from './shell-files.ts';
import { type Identity, repositoryName } from './who.ts';

const EVERYTHING: ReadonlySet<FindingKind> = new Set([
  'secret',
  'email',
  'phone',
  'credit_card',
  'iban',
  'us_ssn',
]);

/** A file that an event is about. */
export interface SubjectFile {
  readonly use: 'read' | 'write';
  /** Null when a shell makes up its name. */
  readonly path: KnownPath | null;
  readonly start: number;
  readonly end: number;
}

/** An event as rules read it: each part once, and only when a rule asks for it. */
export class Subject {
  readonly event: RelayEvent;
  readonly identity: Identity;
  readonly nowMs: number;
  readonly shell: ShellAnalysis | null;
  /** Of all rules together. */
  readonly steps = new StepMeter();
  #files: readonly SubjectFile[] | null = null;
  readonly #variables = new Map<SimpleCommand | null, Variables>();
  #text: string | null = null;
  #found: ReadonlyMap<FindingKind, number> | null = null;

  constructor(grammar: Grammar | null, event: RelayEvent, identity: Identity, nowMs: number) {
    this.event = event;
    this.identity = identity;
    this.nowMs = nowMs;
    this.shell = event.shell ? analysed(grammar, event.shell) : null;
  }

  files(): readonly SubjectFile[] {
    this.#files ??= this.#allFiles();
    return this.#files;
  }

  /** What is looked through for values and patterns. */
  text(): string {
    this.#text ??= this.#allText();
    return this.#text;
  }

  found(): ReadonlyMap<FindingKind, number> {
    this.#found ??= this.event.tool
      ? findInJson(this.text(), EVERYTHING)
      : findInText(this.text(), EVERYTHING);
    return this.#found;
  }

  /** What a condition sees, beside one of the commands; made once for each. */
  variables(command: SimpleCommand | null): Variables {
    let variables = this.#variables.get(command);
    if (!variables) {
      variables = this.#variablesBeside(command);
      this.#variables.set(command, variables);
    }
    return variables;
  }

  #variablesBeside(command: SimpleCommand | null): Variables {
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
      agent: textsIn({ name: agent.name, version: agent.version, mode: agent.permission_mode }),
      repository: textsIn({
        remote: repository?.remote === undefined ? '' : repositoryName(repository.remote),
        branch: repository?.branch,
      }),
      shell: new Map<string, Variable>([
        ['text', this.shell?.text ?? ''],
        ['commands', (this.shell?.commands ?? []).map(({ name }) => name ?? '')],
        ['unclear', (this.shell?.doubts.length ?? 0) > 0],
      ]),
      command: new Map<string, Variable>([
        ['name', command?.name ?? ''],
        ['path', command?.word.text ?? ''],
        ['args', knownTexts(command?.args ?? [])],
        ['via', [...(command?.via ?? [])]],
      ]),
      tool: new Map<string, Variable>([
        ['name', tool?.name ?? ''],
        ['url', tool?.url ?? ''],
        ['command', tool?.command ?? ''],
        ['label', tool?.server ?? ''],
        ['arguments', variableOf(tool?.arguments ?? {}, 0)],
      ]),
      prompt: new Map<string, Variable>([
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

  #allFiles(): SubjectFile[] {
    const { file, prompt, cwd = '', home = null, event } = this.event;
    const directories = this.shell ? directoriesOf(this.shell) : [];
    const bases = cwd === '' ? [] : [cwd];
    for (const directory of directories) bases.push(...basesWith(directory, bases));
    const context = { directories: directories.includes(null) ? [] : bases, home };
    const found: FileUse[] = this.shell ? filesOf(this.shell) : [];
    const whole = { start: 0, end: 0 };
    if (file) found.push({ ...whole, use: event === 'file_write' ? 'write' : 'read', path: file.path });
    for (const { path } of prompt?.attachments ?? []) found.push({ ...whole, use: 'read', path });
    return found.map((use) => ({ ...use, path: use.path === null ? null : knownPath(use.path, context) }));
  }
}

function analysed(grammar: Grammar | null, { command, dialect }: NonNullable<RelayEvent['shell']>) {
  if (grammar === null) throw new Error('a shell command needs the grammar; load it first');
  return analyseShell(grammar, command, dialect);
}

/** Directories after a `cd`: from where it was, or from anywhere before. */
function basesWith(directory: string | null, bases: readonly string[]): string[] {
  if (directory === null) return [];
  return /^[/~]/.test(directory) ? [directory] : bases.map((base) => `${base}/${directory}`).slice(0, 8);
}

function textsIn(texts: Readonly<Record<string, string | undefined>>): Variable {
  return new Map(Object.entries(texts).map(([name, text]) => [name, text ?? '']));
}

const DEEPEST = 8;

/** JSON as conditions see it. */
function variableOf(value: unknown, depth: number): Variable {
  if (depth > DEEPEST) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map((entry) => variableOf(entry, depth + 1));
  if (typeof value !== 'object' || value === null) return null;
  return new Map(Object.entries(value).map(([name, entry]) => [name, variableOf(entry, depth + 1)]));
}
