import { commandName, type Redirect } from './command.ts';
import type { Input } from './redirects.ts';
import type { Scope } from './scope.ts';
import type { Printed, Word } from './word.ts';

/** Notes what redirects write to files of this text. */
export function noteRedirects(redirects: readonly Redirect[], printed: Printed | null, scope: Scope): void {
  for (const { operator, target } of redirects) {
    if (!/^(?:&?>>?|>\|)$/.test(operator) || target.text === null || /^(?:\d|\/dev\/)/.test(target.text))
      continue;
    const before = operator.endsWith('>>') ? scope.fileAt(target.text) : null;
    scope.write(target.text, appended(before?.text, printed?.text ?? null));
  }
}

function appended(before: string | null | undefined, text: string | null) {
  if (before === undefined) return { text, program: null };
  return { text: before === null || text === null ? null : `${before}\n${text}`, program: null };
}

/** Programs that download, with the options that say where to. */
const DOWNLOADS: Readonly<
  Record<string, { readonly output: readonly string[]; readonly base: RegExp | null }>
> = {
  curl: { output: ['-o', '--output'], base: /^(?:-[a-zA-Z]*O[a-zA-Z]*|--remote-name(?:-all)?)$/ },
  wget: { output: ['-O', '--output-document'], base: /^/ },
  aria2c: { output: ['-o', '--out'], base: /^/ },
  http: { output: ['-o', '--output'], base: /^(?:-d|--download)$/ },
  https: { output: ['-o', '--output'], base: /^(?:-d|--download)$/ },
  xh: { output: ['-o', '--output'], base: /^(?:-d|--download)$/ },
};
/** Programs that copy from elsewhere to the last of their words. */
const FETCHES = new Set(['scp', 'rsync', 'aws', 'gsutil', 'gcloud', 'rclone', 'mc', 's3cmd']);
const COPIES = new Set(['cp', 'mv', 'ln', 'install', 'link']);
const DECODED_FILE = new Set(['base64', 'openssl', 'xxd', 'gunzip', 'gzip', 'zcat']);

/** Notes files that a command writes so that what they hold runs later: downloads, copies of programs, `tee`. */
export function noteFiles(name: string, args: readonly Word[], input: Input | null, scope: Scope): void {
  const operands = args.filter(
    ({ text }, at) => (text === null || !/^-./.test(text)) && !/^-[mog]$/.test(args[at - 1]?.text ?? ''),
  );
  if (name === 'git' && operands[0]?.text === 'clone') return noteClone(operands.slice(1), scope);
  if (name === 'tee') return noteTee(args, operands, input, scope);
  if (COPIES.has(name)) return noteCopy(args, operands, scope);
  if (FETCHES.has(name)) return noteFetch(operands, scope);
  if (DECODED_FILE.has(name)) return void noteOutput(args, ['-out', '-o'], scope);
  const download = Object.hasOwn(DOWNLOADS, name) ? DOWNLOADS[name] : undefined;
  if (!download) return;
  if (noteOutput(args, download.output, scope)) return;
  if (download.base && (args.length === 0 || args.some(({ text }) => download.base?.test(text ?? ''))))
    for (const { text } of operands) {
      const base = baseName(text ?? '');
      noteDownload(base, scope);
      const directory = directoryOf(args);
      if (directory !== null) noteDownload(`${directory}/${base}`, scope);
    }
}

/** A directory that holds what a repository holds. */
function noteClone(operands: readonly Word[], scope: Scope): void {
  const [url, directory] = operands.filter(({ text }) => !/^\d+$/.test(text ?? ''));
  const name = directory?.text ?? baseName(url?.text ?? '').replace(/\.git$/, '');
  if (name !== '' && url?.text?.includes(':')) scope.write(`${name}/`, { text: null, program: null });
}

function noteTee(args: readonly Word[], operands: readonly Word[], input: Input | null, scope: Scope): void {
  const isAppended = args.some(({ text }) => /^(?:-\w*a|--append)/.test(text ?? ''));
  for (const { text } of operands) {
    if (text === null) continue;
    const before = isAppended ? scope.fileAt(text)?.text : undefined;
    scope.write(text, appended(before, input?.printed.text ?? null));
  }
}

/** A program under another name, in a file or in a directory. */
function noteCopy(args: readonly Word[], operands: readonly Word[], scope: Scope): void {
  const [source] = operands;
  const target = operands.at(-1);
  if (source?.process && target?.text)
    return scope.write(target.text, { text: source.process.text, program: null });
  if (source?.text == null || target?.text == null || operands.length !== 2 || args.length > 6) return;
  const written = scope.fileAt(source.text);
  const file = written ?? { text: null, program: programOf(source.text) };
  if (written === null && file.program === null) return;
  scope.write(target.text, file);
  scope.write(`${target.text}/${commandName(source.text)}`, file);
}

/** The program of a path into a directory of programs; null for any other file. */
export function programOf(path: string): string | null {
  return /(?:^|\/)s?bin\/[^/]+$/.test(path) || /^[\w.+-]+$/.test(path) ? path : null;
}

function noteFetch(operands: readonly Word[], scope: Scope): void {
  const target = operands.at(-1)?.text;
  const isRemote = operands.slice(0, -1).some(({ text }) => text?.includes(':'));
  if (target == null || !isRemote || target.includes(':')) return;
  noteDownload(target, scope);
  for (const { text } of operands.slice(0, -1)) {
    const base = baseName(text ?? '');
    noteDownload(target === '.' || target === './' ? base : `${target}/${base}`, scope);
  }
}

function noteOutput(args: readonly Word[], options: readonly string[], scope: Scope): boolean {
  for (const [at, { text }] of args.entries()) {
    if (text === null) continue;
    for (const option of options) {
      const value = outputValue(text, option, args[at + 1]?.text ?? null);
      if (value === null) continue;
      if (value !== '-') noteDownload(value, scope);
      return true;
    }
  }
  return false;
}

/** `-o file`, `-ofile`, `-fsSLo file`, `--output=file`. */
function outputValue(text: string, option: string, next: string | null): string | null {
  if (text === option) return next;
  if (option.startsWith('--')) return text.startsWith(`${option}=`) ? text.slice(option.length + 1) : null;
  if (!/^-[a-zA-Z]/.test(text) || text.startsWith('--')) return null;
  const letter = option.charAt(1);
  if (text.startsWith(option)) return text.slice(2);
  return text.endsWith(letter) && /^-[a-zA-Z]+$/.test(text) ? next : null;
}

function noteDownload(path: string, scope: Scope): void {
  if (path !== '') scope.write(path, { text: null, program: null });
}

/** `wget -P directory`, `curl --output-dir directory` */
function directoryOf(args: readonly Word[]): string | null {
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
