import { Collector } from './collect.ts';
import { commandName, type ShellAnalysis } from './command.ts';
import { Invoker } from './invoke.ts';
import { Scope } from './scope.ts';
import type { Surroundings } from './surroundings.ts';
import type { Grammar, Work } from './tree.ts';
import { plainWord } from './word.ts';

/** The shell that a text is for. */
export type Dialect = 'bash' | 'sh' | 'zsh' | 'powershell' | 'cmd' | 'fish' | 'unknown';

/** Texts beyond these limits are not looked at; what agents write is far below. */
const LIMITS: Work = { looks: 64, nodes: 6_000, visits: 8_000, commands: 200, characters: 40_000 };
const MOST_CHARACTERS = 10_000;
/** Nesting of texts in texts: `sh -c "sh -c …"`. */
const MOST_DEPTH = 12;

/** Characters that a reader does not see, or that show other characters in another order (UTR 36, section 2.5). */
const HIDDEN =
  /[\0-\x08\x0b-\x1f\x7f\u00ad\u061c\u200b-\u200c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|(?<!\p{Extended_Pictographic}|\ufe0f)\u200d/u;
/** Words that every shell reads alike. */
const PLAIN = /^[\w./:=@,+%\\ -]+$/;

const OUTSIDE = { via: [], input: null, place: null, depth: 0 } as const;

/**
 * What a shell would do with `text`: every simple command it would run, with the commands that wrap it taken off, and
 * the parts of which nobody can tell. Never throws; work is bounded, whatever the text.
 */
export function analyseShell(grammar: Grammar, text: string, dialect: Dialect = 'bash'): ShellAnalysis {
  const work = { ...LIMITS };
  const invoker: Invoker = new Invoker(work, {
    text: read,
    body: ({ body, text: code }, around) =>
      void new Collector(code, around, invoker).visit(body, around.input),
  });

  function read(code: string, around: Surroundings): void {
    const place = around.place ?? { start: 0, end: code.length };
    work.characters -= code.length;
    if (code.length > MOST_CHARACTERS || work.characters < 0 || around.depth > MOST_DEPTH)
      return invoker.doubt('it is too long or too deep to be looked at', place);
    if (HIDDEN.test(code)) return invoker.doubt('it holds characters that nobody sees', place);
    const root = grammar.parse(code, work);
    if (typeof root === 'string')
      return invoker.doubt(
        root === 'syntax' ? 'its syntax is not understood' : 'it is too much to be looked at',
        place,
      );
    new Collector(code, around, invoker).visit(root, around.input);
  }

  const around: Surroundings = { ...OUTSIDE, scope: new Scope() };
  if (dialect === 'bash' || dialect === 'sh' || dialect === 'zsh') read(text, around);
  else if (text.length <= MOST_CHARACTERS && PLAIN.test(text)) plainCommand(text, invoker, around);
  else invoker.doubt(`commands for ${dialect} are not analysed`, { start: 0, end: text.length });
  invoker.code.finish();
  return { text, commands: invoker.commands, doubts: invoker.doubts };
}

/** A command of plain words for a shell that is not analysed; `\` is part of paths there. */
function plainCommand(text: string, invoker: Invoker, around: Surroundings): void {
  const words = [...text.matchAll(/[^ ]+/g)].map(([word], n) => {
    const start = text.indexOf(word, n);
    return plainWord(n === 0 ? commandName(word) : word, { start, end: start + word.length });
  });
  const place = { start: 0, end: text.length, around };
  invoker.invoke({ words, assignments: [], redirects: [], input: null, ...place });
}
