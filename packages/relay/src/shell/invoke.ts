import type { Surroundings } from './collect.ts';
import {
  type Assignment,
  commandName,
  type Doubt,
  type Redirect,
  type SimpleCommand,
  type Trait,
} from './command.ts';
import { assignmentOf, environmentRuns } from './environment-runs.ts';
import { positionals } from './global-options.ts';
import { constantOutput } from './output.ts';
import { gitSettings, interpreted, optionCode } from './runs-code.ts';
import type { Work } from './tree.ts';
import { type Inner, isShell, unwrap } from './unwrap.ts';
import { type Place, plainWord, type Word } from './word.ts';

/** What a command finds at its input. */
export interface Input {
  readonly kind: 'pipe' | 'text' | 'file';
  /** All of it, when it is a constant. */
  readonly text: string | null;
}

export interface Placing extends Place {
  readonly around: Surroundings;
}

/** A command as its text gives it. */
export interface Invoked extends Placing {
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
  readonly input: Input | null;
}

/** Reads a text for a shell that stands within another. */
export type ReadCode = (text: string, around: Surroundings) => void;

/** Nested deeper than this is not followed. */
const MOST_DEPTH = 16;

/** Takes commands as they are written, finds what they run in their turn, and notes all of them. */
export class Invoker {
  readonly commands: SimpleCommand[] = [];
  readonly doubts: Doubt[] = [];
  readonly #work: Work;
  readonly #readCode: ReadCode;

  constructor(work: Work, readCode: ReadCode) {
    this.#work = work;
    this.#readCode = readCode;
  }

  doubt(because: string, { start, end }: Place): void {
    this.doubts.push({ because, start, end });
  }

  /** What a command prints when that is a constant. */
  printed(words: readonly Word[], input: string | null): string | null {
    const [name, ...args] = words;
    return name?.text == null ? null : constantOutput(commandName(name.text), args, input);
  }

  /** Variables that are set for what follows. */
  declare(assignments: readonly Assignment[], placing: Placing): void {
    const { code, loads } = environmentRuns(assignments);
    for (const name of loads) this.doubt(`${name} makes programs run something else`, placing);
    for (const text of code) this.#code(text, placing, assignments[0]?.name ?? '', null);
  }

  /** Notes a command and what it runs; returns what it prints, when that is a constant. */
  invoke(given: Invoked): string | null {
    const words = dropEmpty(given.words);
    if (words.length < given.words.length) this.doubt('the name of a command may be empty', given);
    const [word, ...args] = words;
    if (!word) {
      if (given.redirects.length > 0) this.#note(given, plainWord('', given), [], []);
      return null;
    }
    this.#work.commands -= 1;
    if (this.#work.commands < 0 || given.around.depth > MOST_DEPTH) {
      this.doubt('it holds more commands than are looked at', given);
      return null;
    }
    const name = this.#nameOf(word, given);
    if (name === null) {
      this.#note(given, word, args, ['unclear']);
      return null;
    }
    this.#run(name, word, args, given);
    return constantOutput(name, args, given.input?.text ?? null);
  }

  /** Null when nobody can tell; doubts are noted. */
  #nameOf(word: Word, given: Invoked): string | null {
    const { text, certain, glob } = word;
    if (text === null) {
      this.doubt('the name of a command is not known before it runs', given);
      return null;
    }
    if (!certain || glob) this.doubt('the name of a command is not spelled out', given);
    // zsh replaces `=name` by the path of the command.
    if (text.startsWith('=')) this.doubt('the name of a command begins with "="', given);
    if (text.includes('{}')) this.doubt('the name of a command is filled in when it runs', given);
    return commandName(text);
  }

  #run(name: string, word: Word, args: readonly Word[], given: Invoked): void {
    const invocation = { name, args };
    const subcommand = positionals(name, args)[0]?.word.text ?? null;
    const wrapped = unwrap(invocation);
    const language = wrapped ? null : interpreted(invocation);
    const traits: Trait[] = [...(wrapped?.traits ?? []), ...(language?.traits ?? [])];
    for (const doubt of [...(wrapped?.doubts ?? []), ...(language?.doubts ?? [])]) this.doubt(doubt, given);
    const inner = [...(wrapped?.inner ?? []), ...optionCode(invocation, subcommand)];
    if (name === 'git') inner.push(...gitSettings(invocation));
    if (name === 'alias') inner.push(...args.map(aliased));
    if (name === 'git' && args.some(({ text }) => /^core\.hookspath=/i.test(text ?? ''))) {
      traits.push('injects');
      this.doubt('core.hooksPath makes git run something else', given);
    }
    if (name === 'env' || name === 'sudo' || name === 'export')
      traits.push(...this.#environment(args, given));
    if (wrapped?.readsInput || language?.readsInput) this.#reads(word, given, traits);
    this.#note(given, word, args, traits);
    for (const run of inner) this.#inside(run, name, invocation.args, given);
  }

  #environment(args: readonly Word[], given: Invoked): Trait[] {
    const assignments = args.map(({ text }) => assignmentOf(text)).filter((found) => found !== null);
    const before = this.doubts.length;
    this.declare(assignments, given);
    return this.doubts.length > before ? ['injects'] : [];
  }

  /** A shell that reads commands: known ones are looked at, others make it unclear. */
  #reads(word: Word, given: Invoked, traits: Trait[]): void {
    const { input, words } = given;
    const fromProcess = words.some(({ process }) => process);
    if (input === null && !fromProcess) return;
    traits.push('runs_input');
    if (input?.text != null && isShell(word.text ?? ''))
      this.#code(input.text, given, word.text ?? '', input);
    else this.doubt('it runs what it reads', given);
  }

  #inside(run: Inner, name: string, args: readonly Word[], given: Invoked): void {
    const around = deeper(given.around, name);
    if (run.kind === 'words') {
      const words = filled(name, args, run.words);
      this.invoke({ ...given, words, assignments: [], redirects: [], around });
      return;
    }
    if (name === 'parallel') {
      // `parallel ::: 'rm x'` runs its arguments; what it fills in nobody knows.
      const text = run.text?.replace(/^:::+\+? /, '').replaceAll('{}', '"$filled"') ?? null;
      return this.#code(text, given, name, given.input);
    }
    const [word] = filled(name, args, [run.word]);
    this.#code(word?.text === null ? null : run.text, given, name, given.input);
    if (!run.word.certain && run.text !== null) this.doubt('it runs a text that is put together', given);
  }

  #code(text: string | null, placing: Placing, name: string, input: Input | null): void {
    if (text === null) {
      this.doubt('it runs a text that is not known before', placing);
      return;
    }
    const { start, end, around } = placing;
    this.#readCode(text, { ...deeper(around, name), input, place: around.place ?? { start, end } });
  }

  #note(given: Invoked, word: Word, args: readonly Word[], traits: readonly Trait[]): void {
    const { assignments, redirects, start, end, around } = given;
    const name = traits.includes('unclear') ? null : commandName(word.text ?? '');
    const { via } = around;
    this.commands.push({ name, word, args, assignments, redirects, via, traits, start, end });
  }
}

function deeper(around: Surroundings, name: string): Surroundings {
  return { ...around, via: [...around.via, commandName(name)], depth: around.depth + 1 };
}

/** A word that may vanish and has no text is no name: what follows is run. */
function dropEmpty(words: readonly Word[]): readonly Word[] {
  const first = words.findIndex(({ text, splits }) => text !== '' || !splits);
  return first === -1 ? [] : words.slice(first);
}

function aliased(word: Word): Inner {
  const value = assignmentOf(word.text)?.value ?? (word.text === null ? null : '');
  return { kind: 'code', word, text: value };
}

/** What `xargs`, `find` and `parallel` put into the words of the command they run. */
function filled(name: string, args: readonly Word[], words: readonly Word[]): readonly Word[] {
  if (!/^(?:xargs|find|parallel|fd|fdfind)$/.test(name)) return words;
  const own = args.slice(0, Math.max(0, words[0] ? args.indexOf(words[0]) : 0));
  const token = name === 'xargs' ? replacement(own) : '{}';
  const cut = name === 'parallel' ? words.findIndex(({ text }) => /^:::/.test(text ?? '')) : -1;
  const kept = cut === -1 ? words : words.slice(0, cut);
  const out = kept.map((word) =>
    token !== null && word.text?.includes(token)
      ? { ...word, text: null, certain: false, prefix: word.text.slice(0, word.text.indexOf(token)) }
      : word,
  );
  const [first] = words;
  const isAppended = (name === 'xargs' && token === null) || name === 'parallel';
  if (isAppended && first) out.push({ ...plainWord('', first), text: null, certain: false, splits: true });
  return out;
}

/** The word that `xargs` replaces, from its own options; null when it appends. */
function replacement(args: readonly Word[]): string | null {
  for (const [at, { text }] of args.entries()) {
    const [, attached] = /^(?:-[iI]|--replace=?)(.*)$/.exec(text ?? '') ?? [];
    if (attached === undefined) continue;
    if (attached !== '') return attached;
    return text === '-I' ? (args[at + 1]?.text ?? '{}') : '{}';
  }
  return null;
}
