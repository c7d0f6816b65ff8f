import { normalizeCommandName, type ShellRedirect } from './command.ts';
import type { ShellScope } from './shell-scope.ts';
import type { CommandInput, CommandOutput, ShellWord } from './shell-word.ts';

/**
 * Records the text that a command's redirects write to files, so that a later command that runs such a file
 * can be analyzed.
 */
export function recordRedirectWrites(
  redirects: readonly ShellRedirect[],
  printed: CommandOutput | null,
  scope: ShellScope,
): void {
  for (const { operator, target } of redirects) {
    if (!/^(?:&?>>?|>\|)$/.test(operator) || target.text === null || /^(?:\d|\/dev\/)/.test(target.text))
      continue;
    const before = operator.endsWith('>>') ? scope.fileAt(target.text) : null;
    scope.write(target.text, appendToFile(before?.text, printed?.text ?? null));
  }
}

function appendToFile(before: string | null | undefined, text: string | null) {
  if (before === undefined) return { text, program: null };
  return { text: before === null || text === null ? null : before + text, program: null };
}

/** Programs that download, with the options that name the target file. */
const DOWNLOAD_PROGRAMS: Readonly<
  Record<string, { readonly output: readonly string[]; readonly base: RegExp | null }>
> = {
  curl: { output: ['-o', '--output'], base: /^(?:-[a-zA-Z]*O[a-zA-Z]*|--remote-name(?:-all)?)$/ },
  wget: { output: ['-O', '--output-document'], base: /^/ },
  aria2c: { output: ['-o', '--out'], base: /^/ },
  http: { output: ['-o', '--output'], base: /^(?:-d|--download)$/ },
  https: { output: ['-o', '--output'], base: /^(?:-d|--download)$/ },
  xh: { output: ['-o', '--output'], base: /^(?:-d|--download)$/ },
};
/** Programs that copy from remote machines to their last argument. */
const REMOTE_COPY_PROGRAMS = new Set(['scp', 'rsync', 'aws', 'gsutil', 'gcloud', 'rclone', 'mc', 's3cmd']);
/** Programs among them that also copy between local paths, as `cp` does. */
const LOCAL_COPY_PROGRAMS = new Set(['scp', 'rsync']);
const COPY_PROGRAMS = new Set(['cp', 'mv', 'ln', 'install', 'link', 'ditto']);
const DECODING_PROGRAMS = new Set(['base64', 'openssl', 'xxd', 'gunzip', 'gzip', 'zcat']);

/**
 * Records the files whose content may run later: downloads, copies of programs, and the output of
 * `tee`.
 */
export function recordFileWrites(
  name: string,
  args: readonly ShellWord[],
  input: CommandInput | null,
  scope: ShellScope,
): void {
  const operands = args.filter(
    ({ text }, at) => (text === null || !/^-./.test(text)) && !/^-[mog]$/.test(args[at - 1]?.text ?? ''),
  );
  if (name === 'git' && operands[0]?.text === 'clone') return recordClone(operands.slice(1), scope);
  if (name === 'find') return recordFindOutput(args, scope);
  if (name === 'dd') return recordCopy([], findDiskCopyOperands(args), scope);
  if (name === 'tee') return recordTee(args, operands, input, scope);
  if (COPY_PROGRAMS.has(name)) return recordCopy(args, operands, scope);
  if (REMOTE_COPY_PROGRAMS.has(name)) return recordRemoteCopy(name, operands, scope);
  if (DECODING_PROGRAMS.has(name)) return void recordOutputOption(args, ['-out', '-o'], scope);
  const download = Object.hasOwn(DOWNLOAD_PROGRAMS, name) ? DOWNLOAD_PROGRAMS[name] : undefined;
  if (!download) return;
  if (recordOutputOption(args, download.output, scope)) return;
  if (download.base && (args.length === 0 || args.some(({ text }) => download.base?.test(text ?? ''))))
    for (const { text } of operands) {
      const base = baseName(text ?? '');
      recordDownload(base, scope);
      const directory = downloadDirectory(args);
      if (directory !== null) recordDownload(`${directory}/${base}`, scope);
    }
}

/** Records the files that `find -fprintf file format` writes. Formats with `%` contain names that are not known. */
function recordFindOutput(args: readonly ShellWord[], scope: ShellScope): void {
  for (const [at, { text: option }] of args.entries()) {
    const path = args[at + 1]?.text;
    if (!/^-f(?:print0?|printf|ls)$/.test(option ?? '') || path == null) continue;
    const format = option === '-fprintf' ? (args[at + 2]?.text ?? null) : null;
    const text = format === null || /%(?!%)/.test(format) ? null : format.replaceAll('\\n', '\n');
    scope.write(path, { text, program: null });
  }
}

/** Records a directory with the content of a repository. */
function recordClone(operands: readonly ShellWord[], scope: ShellScope): void {
  const [url, directory] = operands.filter(({ text }) => !/^\d+$/.test(text ?? ''));
  const name = directory?.text ?? baseName(url?.text ?? '').replace(/\.git$/, '');
  if (name !== '' && url?.text?.includes(':')) scope.write(`${name}/`, { text: null, program: null });
}

function recordTee(
  args: readonly ShellWord[],
  operands: readonly ShellWord[],
  input: CommandInput | null,
  scope: ShellScope,
): void {
  const isAppended = args.some(({ text }) => /^(?:-\w*a|--append)/.test(text ?? ''));
  for (const { text } of operands) {
    if (text === null) continue;
    const before = isAppended ? scope.fileAt(text)?.text : undefined;
    scope.write(text, appendToFile(before, input?.printed.text ?? null));
  }
}

/** The operands of `dd if=source of=target`, in the order of `cp`. */
function findDiskCopyOperands(args: readonly ShellWord[]): readonly ShellWord[] {
  return ['if=', 'of='].flatMap((key) => {
    const word = args.findLast(({ text }) => text?.startsWith(key));
    return word?.text ? [{ ...word, text: word.text.slice(key.length) }] : [];
  });
}

/** Records a copy of a program, as a file or in a directory. */
function recordCopy(args: readonly ShellWord[], operands: readonly ShellWord[], scope: ShellScope): void {
  const [source] = operands;
  const target = operands.at(-1);
  if (source?.process && target?.text)
    return scope.write(target.text, { text: source.process.text, program: null });
  if (source?.text == null || target?.text == null || operands.length !== 2 || args.length > 6) return;
  const written = scope.fileAt(source.text);
  const file = written ?? { text: null, program: toProgramPath(source.text) };
  if (written === null && file.program === null) return;
  scope.write(target.text, file);
  scope.write(`${target.text}/${normalizeCommandName(source.text)}`, file);
}

/**
 * Returns the path if it names a program: a file in a standard program directory, such as `/usr/bin/curl`, or only
 * a file name, such as `curl`. Returns null for any other path.
 */
export function toProgramPath(path: string): string | null {
  return /(?:^|\/)s?bin\/[^/]+$/.test(path) || /^[\w.+-]+$/.test(path) ? path : null;
}

/** Of several words, only paths are recorded, because names may be values of options, as in `-e ssh`. */
function recordLocalCopies(
  sources: readonly ShellWord[],
  target: readonly ShellWord[],
  scope: ShellScope,
): void {
  for (const source of sources)
    if (sources.length === 1 || source.process || source.text?.includes('/'))
      recordCopy([], [source, ...target], scope);
}

function recordRemoteCopy(name: string, operands: readonly ShellWord[], scope: ShellScope): void {
  const target = operands.at(-1)?.text;
  const sources = operands.slice(0, -1);
  const isRemote = sources.some(({ text }) => text?.includes(':'));
  if (!isRemote) {
    if (LOCAL_COPY_PROGRAMS.has(name)) recordLocalCopies(sources, operands.slice(-1), scope);
    return;
  }
  if (target == null || target.includes(':')) return;
  recordDownload(target, scope);
  for (const { text } of sources) {
    const base = baseName(text ?? '');
    recordDownload(target === '.' || target === './' ? base : `${target}/${base}`, scope);
  }
}

function recordOutputOption(
  args: readonly ShellWord[],
  options: readonly string[],
  scope: ShellScope,
): boolean {
  for (const [at, { text }] of args.entries()) {
    if (text === null) continue;
    for (const option of options) {
      const value = outputValue(text, option, args[at + 1]?.text ?? null);
      if (value === null) continue;
      if (value !== '-') recordDownload(value, scope);
      return true;
    }
  }
  return false;
}

/** Matches `-o file`, `-ofile`, `-fsSLo file` and `--output=file`. */
function outputValue(text: string, option: string, next: string | null): string | null {
  if (text === option) return next;
  if (option.startsWith('--')) return text.startsWith(`${option}=`) ? text.slice(option.length + 1) : null;
  if (!/^-[a-zA-Z]/.test(text) || text.startsWith('--')) return null;
  const letter = option.charAt(1);
  if (text.startsWith(option)) return text.slice(2);
  return text.endsWith(letter) && /^-[a-zA-Z]+$/.test(text) ? next : null;
}

function recordDownload(path: string, scope: ShellScope): void {
  if (path !== '') scope.write(path, { text: null, program: null });
}

/** Matches `wget -P directory` and `curl --output-dir directory`. */
function downloadDirectory(args: readonly ShellWord[]): string | null {
  const at = args.findIndex(({ text }) =>
    /^(?:-P|-d|--directory-prefix|--output-dir|--dir)$/.test(text ?? ''),
  );
  return at === -1 ? null : (args[at + 1]?.text ?? null);
}

function baseName(path: string): string {
  return (
    path
      .replace(/[?#].*$/s, '')
      .replace(/\/+$/, '')
      .split(/[/:]/)
      .at(-1) ?? ''
  );
}
