import { MAX_RELAY_TEXT_CHARS } from '@floe/contract/api/relay';
import { unescapeAnsiC } from './shell/escapes.ts';

/** A line in the format of `apply_patch` that names a file. */
const FILE_MARKER = /^\*\*\* (?:(?:Add|Update|Delete) File: |Move to: )(.*)$/s;
/** The first line of a pair of lines that names a file in a unified or context diff, and the second line. */
const OLD_FILE_LINE = /^(?:---|\*\*\*) (.*)$/s;
const NEW_FILE_LINE = /^(?:\+\+\+|---) (.*)$/s;
/** A line of `git diff` that names the new file of a rename or copy. */
const RENAME_LINE = /^(?:rename|copy) to (.*)$/s;
/** Where the part for another file starts. Lines of a file's content have a character before their text. */
const SECTION_START = /(?<=\n)(?=\*\*\* (?:Add|Update|Delete) File: )/;
const GIT_SECTION_START = /(?<=\n)(?=diff --git )/;

/**
 * Returns the files that a patch changes, by path, each with the text of the patch that may belong to it.
 * Accepts unified diffs, context diffs and the format of `apply_patch`. Returns an empty map if the text
 * contains no file names.
 *
 * A line of content may look like a line with a file name. All files that are named in a section therefore get
 * the text of the whole section, up to the maximum length of a text in an event.
 */
export function findPatchedFiles(patch: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const isApplyPatch = /^\*\*\* /.test(patch) || SECTION_START.test(patch);
  for (const section of patch.split(isApplyPatch ? SECTION_START : GIT_SECTION_START))
    for (const path of findFileNames(section.split('\n'))) {
      // The text can belong to thousands of files. Concatenation and a short slice of one string do not copy it.
      const known = files.get(path) ?? '';
      files.set(path, known + section.slice(0, MAX_RELAY_TEXT_CHARS - known.length));
    }
  return files;
}

/** Agents and `patch` accept blanks before the marker. */
function findFileNames(written: readonly string[]): ReadonlySet<string> {
  const lines = written.map((line) => line.trimStart());
  const names = new Set<string>();
  for (const [at, line] of lines.entries()) {
    const [, marked] = FILE_MARKER.exec(line) ?? [];
    const [, renamed] = RENAME_LINE.exec(written[at] ?? '') ?? [];
    const [, before] = OLD_FILE_LINE.exec(line) ?? [];
    const [, after] = before === undefined ? [] : (NEW_FILE_LINE.exec(lines[at + 1] ?? '') ?? []);
    if (marked !== undefined) names.add(readPath(marked));
    else if (renamed !== undefined) names.add(readPath(renamed));
    else if (before !== undefined && after !== undefined)
      for (const name of [before, after]) names.add(readPath(name).replace(/^[ab]\//, ''));
  }
  names.delete('');
  names.delete('/dev/null');
  return names;
}

/** Git quotes a name with special characters. A tab ends a name. */
function readPath(text: string): string {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
  return quoted === undefined ? (text.split('\t', 1)[0] ?? '').trim() : unescapeAnsiC(quoted);
}
