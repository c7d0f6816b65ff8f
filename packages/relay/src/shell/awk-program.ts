/** The shell commands of an awk program. */
export interface AwkCommands {
  /** Commands that are string literals. */
  readonly commands: readonly string[];
  /** Commands to which the program prints, with the printed text. Null if it is not a string literal. */
  readonly pipes: readonly { readonly text: string | null; readonly command: string }[];
  /** The files with code that the program includes. */
  readonly included: readonly string[];
  /** The files to which the program prints. */
  readonly writes: readonly string[];
  /** The program runs commands that it builds, or loads a library from a file. */
  readonly isUnclear: boolean;
}

/** Calls of `system`, and commands whose output is read. The group is the number of a string. */
const RUNS = /\bsystem\s*\(\s*(?:"(\d+)"\s*\))?|(?:"(\d+)"\s*)?(?<!\|)\|\s*(?:&\s*)?getline\b/g;
/** Commands that output is printed to. The groups are the numbers of the printed string and of the command. */
const PIPES =
  /(?:\bprintf?\s*(?:\(\s*)?"(\d+)"\s*(?:\)\s*)?)?(?<!\|)\|(?!\||\s*(?:&\s*)?getline\b)\s*(?:&\s*)?(?:"(\d+)"(?=\s*(?:[;}\n]|$)))?/g;
/** A call of a function whose name is the value of a variable. */
const INDIRECT_CALL = /@\s*[\w:]+\s*\(/;

/** Code and libraries that a gawk program loads. The groups are the directive and the number of a string. */
const LOADS = /@\s*(include|load)\s*"(\d+)"/g;

/** Output of `print` or `printf` to a file. The group is the number of a string. */
const WRITES = /\bprintf?\b[^;{}\n|]*?>>?\s*"(\d+)"/g;

/** Returns the names that an included file can have: `path`, and `path` with the suffix `.awk`. */
export function listAwkIncludeCandidates(path: string): readonly string[] {
  return path.endsWith('.awk') ? [path] : [path, `${path}.awk`];
}

/**
 * Returns whether a library is loaded from a path, and not from the directory of gawk itself. Returns true if
 * the library is unknown (null).
 */
export function isExternalAwkLibrary(library: string | null): boolean {
  return library === null || library.includes('/');
}

/** Finds the commands that an awk program runs with `system`, `|` and `|&`. */
export function findAwkCommands(program: string): AwkCommands {
  const { bare, strings } = separateStrings(program);
  const commands: string[] = [];
  const pipes: { text: string | null; command: string }[] = [];
  let isUnclear = INDIRECT_CALL.test(bare);
  for (const [, called, read] of bare.matchAll(RUNS)) {
    const command = strings[Number(called ?? read)];
    if (command === undefined) isUnclear = true;
    else commands.push(command);
  }
  for (const [, printed, run] of bare.matchAll(PIPES)) {
    const command = strings[Number(run)];
    if (command === undefined) isUnclear = true;
    else pipes.push({ text: strings[Number(printed)] ?? null, command });
  }
  const included: string[] = [];
  for (const [, directive, name] of bare.matchAll(LOADS)) {
    const path = strings[Number(name)] ?? null;
    if (directive === 'load') isUnclear ||= isExternalAwkLibrary(path);
    else if (path !== null) included.push(...listAwkIncludeCandidates(path));
  }
  const writes = [...bare.matchAll(WRITES)].flatMap(([, name]) => strings[Number(name)] ?? []);
  return { commands, pipes, included, writes, isUnclear };
}

/**
 * A string, a comment, a regular expression after an operator or a keyword, or any other character. The length of
 * an expression is bounded so that the work is linear.
 */
const TOKEN =
  /"((?:\\[\s\S]|[^"\\\n])*)"?|#[^\n]*|(?<=(?:^|[^\w\s)\]$".]|\b(?:print|return|case|in))\s*)\/(?:\\[\s\S]|\[(?:\^?\][^\]\n]{0,100}|(?!\^?\])[^\]\n]{1,100})\]|[^/\\\n[]){0,300}\/|[\s\S]/g;

/** Replaces strings with their numbers in quotes, and removes comments and expressions. Joins adjacent strings. */
function separateStrings(program: string): { readonly bare: string; readonly strings: readonly string[] } {
  const strings: string[] = [];
  const bare = program.replaceAll(TOKEN, (token: string, text: string | undefined) => {
    if (text === undefined) return token.length === 1 ? token : ' 0 ';
    strings.push(text.replaceAll('\\n', '\n').replaceAll(/\\([\s\S])/g, '$1'));
    return `"${strings.length - 1}"`;
  });
  const joined = bare.replaceAll(/"\d+"(?:[ \t]*"\d+")+/g, (group) => {
    strings.push([...group.matchAll(/\d+/g)].map(([number]) => strings[Number(number)]).join(''));
    return `"${strings.length - 1}"`;
  });
  return { bare: joined, strings };
}
