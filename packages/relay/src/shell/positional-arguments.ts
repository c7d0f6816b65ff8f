import type { ShellWord } from './shell-word.ts';

interface ValueOptions {
  /** Letters of short options that take a value. */
  readonly short: string;
  readonly long: readonly string[];
}

/** Options with a value that are allowed before the subcommand. */
const BEFORE_SUBCOMMAND: Readonly<Record<string, ValueOptions>> = {
  git: {
    short: 'Cc',
    long: [
      '--git-dir',
      '--work-tree',
      '--namespace',
      '--exec-path',
      '--config-env',
      '--super-prefix',
      '--attr-source',
    ],
  },
  docker: {
    short: 'cHlfp',
    long: [
      '--context',
      '--host',
      '--log-level',
      '--config',
      '--tlscacert',
      '--tlscert',
      '--tlskey',
      '--file',
      '--project-name',
      '--project-directory',
      '--profile',
      '--env-file',
    ],
  },
  'docker-compose': {
    short: 'fp',
    long: [
      '--file',
      '--project-name',
      '--project-directory',
      '--profile',
      '--env-file',
      '--context',
      '--host',
    ],
  },
  podman: {
    short: 'c',
    long: ['--connection', '--log-level', '--root', '--runroot', '--storage-driver', '--url', '--identity'],
  },
  nerdctl: { short: 'aHn', long: ['--address', '--host', '--namespace', '--snapshotter'] },
  kubectl: {
    short: 'nsv',
    long: [
      '--namespace',
      '--context',
      '--cluster',
      '--kubeconfig',
      '--user',
      '--server',
      '--token',
      '--as',
      '--as-group',
      '--request-timeout',
      '--cache-dir',
      '--certificate-authority',
      '--client-certificate',
      '--client-key',
      '--tls-server-name',
    ],
  },
  helm: {
    short: 'n',
    long: [
      '--namespace',
      '--kube-context',
      '--kubeconfig',
      '--registry-config',
      '--repository-cache',
      '--repository-config',
    ],
  },
  npm: {
    short: 'Cw',
    long: ['--prefix', '--workspace', '--registry', '--userconfig', '--cache', '--loglevel'],
  },
  pnpm: { short: 'CF', long: ['--dir', '--filter', '--reporter', '--loglevel'] },
  yarn: { short: '', long: ['--cwd'] },
  gh: { short: 'R', long: ['--repo', '--hostname'] },
  glab: { short: 'R', long: ['--repo'] },
  jj: {
    short: 'R',
    long: ['--repository', '--at-operation', '--at-op', '--color', '--config', '--config-file'],
  },
  hg: { short: 'R', long: ['--repository', '--cwd', '--config', '--encoding', '--color', '--pager'] },
  sl: { short: 'R', long: ['--repository', '--cwd', '--config', '--configfile', '--color', '--pager'] },
  aws: {
    short: '',
    long: [
      '--profile',
      '--region',
      '--output',
      '--endpoint-url',
      '--query',
      '--color',
      '--ca-bundle',
      '--cli-read-timeout',
      '--cli-connect-timeout',
    ],
  },
  gcloud: {
    short: '',
    long: [
      '--project',
      '--account',
      '--configuration',
      '--format',
      '--verbosity',
      '--billing-project',
      '--impersonate-service-account',
      '--zone',
      '--region',
    ],
  },
  az: { short: 'o', long: ['--subscription', '--output', '--query'] },
  systemctl: {
    short: 'HMtpno',
    long: ['--host', '--machine', '--type', '--property', '--lines', '--output', '--root'],
  },
  cargo: { short: 'ZC', long: ['--config', '--color', '--manifest-path'] },
  terraform: { short: '', long: [] },
  vault: { short: '', long: ['-address', '-namespace'] },
  heroku: { short: '', long: [] },
  fly: { short: 'at', long: ['--app', '--access-token'] },
  uv: { short: '', long: ['--directory', '--project', '--config-file', '--cache-dir', '--color'] },
  poetry: { short: 'CP', long: ['--directory', '--project'] },
  tmux: { short: 'LSfc', long: [] },
  adb: { short: 'sHPtL', long: [] },
  cmake: { short: '', long: [] },
  make: { short: 'CfIjloW', long: ['--directory', '--file', '--makefile', '--jobs'] },
};

/** An argument that is not an option. */
export interface PositionalArgument {
  readonly word: ShellWord;
  /** Its index in the arguments. */
  readonly at: number;
  /** Whether it is certainly not the value of an option. */
  readonly isCertain: boolean;
}

/**
 * Returns the first eight arguments that are not options, in order. Subcommands are among the first of them.
 */
export function findPositionalArguments(
  name: string,
  args: readonly ShellWord[],
): readonly PositionalArgument[] {
  const options = Object.hasOwn(BEFORE_SUBCOMMAND, name) ? BEFORE_SUBCOMMAND[name] : undefined;
  const words: PositionalArgument[] = [];
  let exact = true;
  for (let at = 0; at < args.length && words.length < 8; at += 1) {
    const word = args[at];
    if (!word) break;
    const { text } = word;
    if (text === null || !isOptionText(text)) words.push({ word, at, isCertain: exact });
    else if (options === undefined) exact &&= text.includes('=');
    else if (takesNextWord(text, options)) at += 1;
    if (text === null || word.splits || !word.certain) exact = false;
  }
  return words;
}

/** Returns whether a word is an option. Options start with `-` or `+`. */
export function isOptionText(text: string): boolean {
  return text.length > 1 && (text.startsWith('-') || text.startsWith('+'));
}

function takesNextWord(text: string, { short, long }: ValueOptions): boolean {
  if (long.includes(text)) return true;
  return /^-[a-zA-Z]$/.test(text) && short.includes(text.charAt(1));
}
