import type { CommandFileRoles } from './command-file-roles.ts';
import { COPY_ROLES, WRITING_COMMAND_ROLES } from './writing-command-roles.ts';

const READ_ROLES: CommandFileRoles = { words: 'read' };
const NO_ROLES: CommandFileRoles = { words: 'none' };
const WRITE_ROLES: CommandFileRoles = { words: 'write' };
const READ_WRITE_ROLES: CommandFileRoles = { words: 'both' };
const RECURSIVE_OPTIONS = /^(?:-[a-zA-Z]*[rR]|--recursive$)/;
const GREP_ROLES: CommandFileRoles = {
  words: 'read',
  first: 'none',
  textOptions: [
    '-e',
    '--regexp',
    '-m',
    '-A',
    '-B',
    '-C',
    '-g',
    '--glob',
    '--iglob',
    '--include',
    '--exclude',
    '--exclude-dir',
    '-t',
    '--type',
    '-d',
  ],
  nameOptions: ['-g', '--glob', '--iglob', '--include'],
  withoutFirst: /^(?:-[a-zA-Z]*[ef]|--(?:regexp|file|files)\b)/,
};
const SED_ROLES: CommandFileRoles = {
  words: 'read',
  first: 'none',
  textOptions: ['-e', '--expression'],
  withoutFirst: /^(?:-[a-zA-Z]*[ef]|--(?:expression|file)\b)/,
  inPlaceOptions: /^(?:-[a-zA-Z]*i|--in-place)/,
};
const AWK_ROLES: CommandFileRoles = {
  words: 'read',
  first: 'none',
  textOptions: ['-v', '-F', '-i'],
  withoutFirst: /^(?:-f|--file)/,
  inPlaceOptions: /^-i/,
};
const INTERPRETER: CommandFileRoles = {
  words: 'read',
  textOptions: [
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
  inPlaceOptions: /^-[a-zA-Z]*i/,
};
const MESSAGE_OPTIONS = [
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

/** Commands that do not open their arguments as files. */
const COMMANDS_WITHOUT_FILES =
  'echo printf test [ ls dir vdir stat file pwd cd chdir pushd popd dirs du df tree find fd fdfind basename dirname realpath readlink mktemp export declare typeset local readonly unset alias unalias type which whereis command hash kill pkill killall pgrep sleep seq exit return true false : set shopt jobs fg bg wait date cal whoami id hostname uname man info help tldr apropos exec time trap let read getopts shift ulimit umask yes nproc uptime free ps top lsof fuser ping traceroute nslookup dig brew apt apt-get dpkg systemctl service journalctl notify-send xset tput clear reset tty who w last groups printenv ssh-add ssh-keygen locate watchman';

const MKFIFO_ROLES: CommandFileRoles = { words: 'write', textOptions: ['-m', '--mode'] };
const MKNOD_ROLES: CommandFileRoles = {
  words: 'none',
  first: 'write',
  textOptions: ['-m', '--mode', '-F'],
};

/** Roles by command, or by command and subcommand. Other commands read every argument that may be a file. */
const ROLES_BY_COMMAND: Readonly<Record<string, CommandFileRoles>> = {
  ...Object.fromEntries(COMMANDS_WITHOUT_FILES.split(' ').map((name) => [name, NO_ROLES])),
  tr: NO_ROLES,
  find: {
    words: 'none',
    outputOptions: ['-fprint', '-fprint0', '-fprintf', '-fls'],
    inputOptions: ['-files0-from'],
  },
  date: { words: 'none', inputOptions: ['-f', '--file'] },
  file: { words: 'none', inputOptions: ['-f', '--files-from'] },
  du: { words: 'none', inputOptions: ['--files0-from'] },
  'ssh-keygen': { words: 'none', outputOptions: ['-f'] },
  ssh: {
    words: 'read',
    textOptions: ['-i', '-F', '-l', '-p', '-o', '-L', '-R', '-D', '-J', '-W', '-E', '-S'],
  },
  mosh: { words: 'read', textOptions: ['--ssh'] },
  rm: { words: 'write', recursiveOptions: RECURSIVE_OPTIONS },
  rmdir: WRITE_ROLES,
  unlink: WRITE_ROLES,
  shred: WRITE_ROLES,
  truncate: { words: 'write', textOptions: ['-s', '--size', '-r'] },
  touch: { words: 'write', textOptions: ['-d', '-t', '-r', '--date'] },
  mkdir: WRITE_ROLES,
  mkfifo: MKFIFO_ROLES,
  gmkfifo: MKFIFO_ROLES,
  mknod: MKNOD_ROLES,
  gmknod: MKNOD_ROLES,
  chmod: { words: 'write', recursiveOptions: RECURSIVE_OPTIONS },
  chown: { words: 'write', recursiveOptions: RECURSIVE_OPTIONS },
  chgrp: { words: 'write', recursiveOptions: RECURSIVE_OPTIONS },
  chattr: WRITE_ROLES,
  tee: WRITE_ROLES,
  sponge: WRITE_ROLES,
  mv: {
    words: 'both',
    last: 'write',
    outputOptions: ['-t', '--target-directory'],
    recursiveOptions: 'always',
  },
  ln: { words: 'both', last: 'write', outputOptions: ['-t', '--target-directory'] },
  cp: COPY_ROLES,
  install: { ...COPY_ROLES, textOptions: ['-m', '-o', '-g'] },
  rsync: { ...COPY_ROLES, textOptions: ['-e', '--rsh', '--exclude', '--include', '--filter', '-f'] },
  scp: { ...COPY_ROLES, textOptions: ['-i', '-P', '-o', '-F', '-J', '-c', '-l', '-S'] },
  ed: READ_WRITE_ROLES,
  ex: { words: 'both', textOptions: ['-c', '--cmd'] },
  vi: { words: 'both', textOptions: ['-c', '--cmd'] },
  vim: { words: 'both', textOptions: ['-c', '--cmd'] },
  nvim: { words: 'both', textOptions: ['-c', '--cmd'] },
  nano: READ_WRITE_ROLES,
  emacs: { words: 'both', textOptions: ['--eval'] },
  code: READ_WRITE_ROLES,
  patch: READ_WRITE_ROLES,
  curl: {
    words: 'read',
    outputOptions: ['-o', '--output'],
    textOptions: ['-H', '--header', '-A', '-e', '-X', '-u', '-w'],
  },
  wget: { words: 'read', outputOptions: ['-O', '--output-document', '-o'] },
  sort: { words: 'read', outputOptions: ['-o', '--output'], textOptions: ['-k', '-t', '-S'] },
  tar: { words: 'read', outputOptions: ['-C', '--directory'], textOptions: ['--exclude'] },
  zip: { words: 'read', first: 'write', textOptions: ['-x'] },
  unzip: { words: 'read', outputOptions: ['-d'] },
  openssl: { words: 'read', outputOptions: ['-out'] },
  grep: GREP_ROLES,
  egrep: GREP_ROLES,
  fgrep: GREP_ROLES,
  zgrep: GREP_ROLES,
  rg: GREP_ROLES,
  ag: GREP_ROLES,
  ack: GREP_ROLES,
  ugrep: GREP_ROLES,
  sed: SED_ROLES,
  gsed: SED_ROLES,
  awk: AWK_ROLES,
  gawk: AWK_ROLES,
  mawk: AWK_ROLES,
  nawk: AWK_ROLES,
  perl: INTERPRETER,
  python: { words: 'read', textOptions: ['-c', '-m', '-W', '-X'] },
  python3: { words: 'read', textOptions: ['-c', '-m', '-W', '-X'] },
  ruby: INTERPRETER,
  node: INTERPRETER,
  php: INTERPRETER,
  jq: {
    words: 'read',
    first: 'none',
    textOptions: ['--arg', '--argjson', '--args'],
    withoutFirst: /^(?:-f|--from-file)/,
  },
  gh: { words: 'read', textOptions: MESSAGE_OPTIONS },
  git: NO_ROLES,
  'git add': READ_ROLES,
  'git stage': READ_ROLES,
  'git diff': { words: 'read', textOptions: ['-S', '-G'] },
  'git difftool': { words: 'read', textOptions: ['-x'] },
  'git show': READ_ROLES,
  'git blame': { words: 'read', textOptions: ['-L'] },
  'git annotate': READ_ROLES,
  'git cat-file': READ_ROLES,
  'git hash-object': READ_ROLES,
  'git stash': { words: 'read', textOptions: MESSAGE_OPTIONS },
  'git commit': { words: 'read', textOptions: MESSAGE_OPTIONS },
  'git grep': { ...GREP_ROLES },
  'git apply': READ_ROLES,
  'git am': READ_ROLES,
  ...WRITING_COMMAND_ROLES,
};

/**
 * The options with which Git subcommands print file content. Without these options, the subcommands
 * print no file content.
 */
export const GIT_FILE_CONTENT_OPTIONS: Readonly<Record<string, RegExp>> = {
  'git log': /^(?:-p|-u|--patch(?:-with-raw)?|-L.*|--cc|-c|-m)$/,
  'git reflog': /^(?:-p|--patch)$/,
  'git config': /^(?:-f|--file|--blob)(?:=|$)/,
};

/** The options with which most programs write files. */
const DEFAULT_ROLES: CommandFileRoles = {
  words: 'read',
  alsoWrittenOptions: [
    '-o',
    '--output',
    '--out',
    '-out',
    '--outfile',
    '--output-file',
    '--outdir',
    '--outDir',
    '--out-dir',
    '--output-dir',
    '--dest',
  ],
  inPlaceOptions: /^--(?:write|fix|in-?place|overwrite)\b/,
};

const TAR_CREATION_OPTIONS = /^(?:-[a-zA-Z]*[cruA]|--(?:create|append|update|concatenate)\b)/;
const TAR_CREATION_ROLES: CommandFileRoles = {
  words: 'read',
  outputOptions: ['-f', '--file'],
  textOptions: ['--exclude'],
};

/**
 * Returns which arguments of a command are files, and whether the command reads or writes them. The result depends on
 * the command's name, subcommand and options.
 */
export function resolveFileRoles(
  name: string,
  subcommand: string | null,
  options: readonly string[],
): CommandFileRoles {
  const key = subcommand === null ? name : `${name} ${subcommand}`;
  const prints = Object.hasOwn(GIT_FILE_CONTENT_OPTIONS, key) ? GIT_FILE_CONTENT_OPTIONS[key] : undefined;
  if (prints && options.some((option) => prints.test(option))) return READ_ROLES;
  if (name === 'tar' && options.some((option) => TAR_CREATION_OPTIONS.test(option)))
    return TAR_CREATION_ROLES;
  // These change only the Git index.
  if (key === 'git rm' && options.includes('--cached')) return NO_ROLES;
  if (key === 'git restore' && isIndexRestore(options)) return NO_ROLES;
  for (const one of [key, name]) {
    const roles = Object.hasOwn(ROLES_BY_COMMAND, one) ? ROLES_BY_COMMAND[one] : undefined;
    // `rg --files` prints names.
    if (roles) return roles === GREP_ROLES && options.includes('--files') ? NO_ROLES : roles;
  }
  return DEFAULT_ROLES;
}

function isIndexRestore(options: readonly string[]): boolean {
  const has = (option: RegExp) => options.some((given) => option.test(given));
  return has(/^(?:--staged|-[a-zA-Z]*S[a-zA-Z]*)$/) && !has(/^(?:--worktree|-[a-zA-Z]*W[a-zA-Z]*)$/);
}
