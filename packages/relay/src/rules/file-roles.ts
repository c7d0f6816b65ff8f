/** What the words of a command are that are no options. */
export type Role =
  /** Files that it reads. */
  | 'read'
  /** Files that it writes. */
  | 'write'
  /** Files that it changes: read and written. */
  | 'both'
  /** Names, texts or patterns: it opens none of them. */
  | 'none';

export interface FileRoles {
  /** Of every word that is no option. */
  readonly words: Role;
  /** Of the first of them, where that differs: the pattern of `grep`, the program of `awk`. */
  readonly first?: Role;
  /** Of the last of several, where that differs: the target of `cp`. */
  readonly last?: Role;
  /** Options whose value is a text, in the same word or the next. */
  readonly texts?: readonly string[];
  /** With one of these options the first word is no different. */
  readonly withoutFirst?: RegExp;
  /** Options whose value is written to. */
  readonly writes?: readonly string[];
  /** Options with which words are written, too. */
  readonly inPlace?: RegExp;
}

const READ: FileRoles = { words: 'read' };
const NONE: FileRoles = { words: 'none' };
const WRITE: FileRoles = { words: 'write' };
const BOTH: FileRoles = { words: 'both' };
const COPY: FileRoles = { words: 'read', last: 'write', writes: ['-t', '--target-directory'] };
const GREP: FileRoles = {
  words: 'read',
  first: 'none',
  texts: [
    '-e',
    '--regexp',
    '-m',
    '-A',
    '-B',
    '-C',
    '-g',
    '--glob',
    '--include',
    '--exclude',
    '--exclude-dir',
    '-t',
    '--type',
    '-d',
  ],
  withoutFirst: /^(?:-[a-zA-Z]*[ef]|--(?:regexp|file|files)\b)/,
};
const SED: FileRoles = {
  words: 'read',
  first: 'none',
  texts: ['-e', '--expression'],
  withoutFirst: /^(?:-[a-zA-Z]*[ef]|--(?:expression|file)\b)/,
  inPlace: /^(?:-[a-zA-Z]*i|--in-place)/,
};
const AWK: FileRoles = { words: 'read', first: 'none', texts: ['-v', '-F'], withoutFirst: /^(?:-f|--file)/ };
const CODE: FileRoles = {
  words: 'read',
  texts: [
    '-c',
    '-e',
    '-E',
    '-p',
    '--eval',
    '--print',
    '-r',
    '-m',
    '-ne',
    '-pe',
    '-pie',
    '-lane',
    '-0pe',
    '-lne',
  ],
  inPlace: /^-[a-zA-Z]*i/,
};
const MESSAGE = [
  '-m',
  '--message',
  '-b',
  '--body',
  '-t',
  '--title',
  '--notes',
  '-n',
  '--author',
  '--date',
  '--trailer',
];

/** Commands whose words are no files that they open. */
const NAMES_ONLY =
  'echo printf test [ ls dir vdir stat file pwd cd chdir pushd popd dirs du df tree find fd fdfind basename dirname realpath readlink mktemp export declare typeset local readonly unset alias unalias type which whereis command hash kill pkill killall pgrep sleep seq exit return true false : set shopt jobs fg bg wait date cal whoami id hostname uname man info help tldr apropos exec time trap let read getopts shift ulimit umask yes nproc uptime free ps top lsof fuser ping traceroute nslookup dig brew apt apt-get dpkg systemctl service journalctl notify-send xset tput clear reset tty who w last groups printenv ssh-add ssh-keygen locate watchman';

/** Commands by name, or by name and subcommand. What is not listed reads every word that may be a file. */
const ROLES: Readonly<Record<string, FileRoles>> = {
  ...Object.fromEntries(NAMES_ONLY.split(' ').map((name) => [name, NONE])),
  tr: NONE,
  'ssh-keygen': { words: 'none', writes: ['-f'] },
  ssh: { words: 'read', texts: ['-i', '-F', '-l', '-p', '-o', '-L', '-R', '-D', '-J', '-W', '-E', '-S'] },
  mosh: { words: 'read', texts: ['--ssh'] },
  rm: WRITE,
  rmdir: WRITE,
  unlink: WRITE,
  shred: WRITE,
  truncate: { words: 'write', texts: ['-s', '--size', '-r'] },
  touch: { words: 'write', texts: ['-d', '-t', '-r', '--date'] },
  mkdir: WRITE,
  chmod: WRITE,
  chown: WRITE,
  chgrp: WRITE,
  chattr: WRITE,
  tee: WRITE,
  sponge: WRITE,
  mv: { words: 'both', last: 'write', writes: ['-t', '--target-directory'] },
  ln: { words: 'both', last: 'write', writes: ['-t', '--target-directory'] },
  cp: COPY,
  install: { ...COPY, texts: ['-m', '-o', '-g'] },
  rsync: { ...COPY, texts: ['-e', '--rsh', '--exclude', '--include', '--filter', '-f'] },
  scp: { ...COPY, texts: ['-i', '-P', '-o', '-F', '-J', '-c', '-l', '-S'] },
  ed: BOTH,
  ex: { words: 'both', texts: ['-c', '--cmd'] },
  vi: { words: 'both', texts: ['-c', '--cmd'] },
  vim: { words: 'both', texts: ['-c', '--cmd'] },
  nvim: { words: 'both', texts: ['-c', '--cmd'] },
  nano: BOTH,
  emacs: { words: 'both', texts: ['--eval'] },
  code: BOTH,
  patch: BOTH,
  curl: {
    words: 'read',
    writes: ['-o', '--output'],
    texts: ['-H', '--header', '-A', '-e', '-X', '-u', '-w'],
  },
  wget: { words: 'read', writes: ['-O', '--output-document', '-o'] },
  sort: { words: 'read', writes: ['-o', '--output'], texts: ['-k', '-t', '-S'] },
  tar: { words: 'read', writes: ['-C', '--directory', '-f', '--file'], texts: ['--exclude'] },
  zip: { words: 'read', texts: ['-x'] },
  unzip: { words: 'read', writes: ['-d'] },
  openssl: { words: 'read', writes: ['-out'] },
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  zgrep: GREP,
  rg: GREP,
  ag: GREP,
  ack: GREP,
  ugrep: GREP,
  sed: SED,
  gsed: SED,
  awk: AWK,
  gawk: AWK,
  mawk: AWK,
  nawk: AWK,
  perl: CODE,
  python: { words: 'read', texts: ['-c', '-m', '-W', '-X'] },
  python3: { words: 'read', texts: ['-c', '-m', '-W', '-X'] },
  ruby: CODE,
  node: CODE,
  php: CODE,
  jq: {
    words: 'read',
    first: 'none',
    texts: ['--arg', '--argjson', '--args'],
    withoutFirst: /^(?:-f|--from-file)/,
  },
  gh: { words: 'read', texts: MESSAGE },
  git: NONE,
  'git add': READ,
  'git stage': READ,
  'git diff': { words: 'read', texts: ['-S', '-G'] },
  'git difftool': { words: 'read', texts: ['-x'] },
  'git show': READ,
  'git blame': { words: 'read', texts: ['-L'] },
  'git annotate': READ,
  'git cat-file': READ,
  'git archive': READ,
  'git hash-object': READ,
  'git stash': { words: 'read', texts: MESSAGE },
  'git commit': { words: 'read', texts: MESSAGE },
  'git grep': { ...GREP },
  'git apply': READ,
  'git am': READ,
  'git config': { words: 'none' },
};

/** Subcommands of git that print what files hold only with these options. */
export const PRINTS_WITH: Readonly<Record<string, RegExp>> = {
  'git log': /^(?:-p|-u|--patch(?:-with-raw)?|-L.*|--cc|-c|-m)$/,
  'git reflog': /^(?:-p|--patch)$/,
  'git config': /^(?:-f|--file|--blob)(?:=|$)/,
};

const DEFAULT: FileRoles = READ;

/** How the words of a command are read, by its name and its subcommand. */
export function fileRoles(name: string, subcommand: string | null, options: readonly string[]): FileRoles {
  const key = subcommand === null ? name : `${name} ${subcommand}`;
  const prints = Object.hasOwn(PRINTS_WITH, key) ? PRINTS_WITH[key] : undefined;
  if (prints && options.some((option) => prints.test(option))) return READ;
  for (const one of [key, name]) {
    const roles = Object.hasOwn(ROLES, one) ? ROLES[one] : undefined;
    if (roles) return roles;
  }
  return DEFAULT;
}
