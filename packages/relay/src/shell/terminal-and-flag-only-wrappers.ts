import type { WrapperSyntax } from './wrapper-syntax.ts';

const TMUX: WrapperSyntax = { values: 'cefFlnNstxy', bare: 'AdDEPXabfhvIkZB', joins: true };
/** Programs that run a command in a separate terminal. */
export const TERMINAL_WRAPPERS: Readonly<Record<string, WrapperSyntax>> = {
  ...Object.fromEntries(
    'new new-session neww new-window splitw split-window respawnp respawn-pane respawnw respawn-window run run-shell if if-shell popup display-popup pipep pipe-pane'
      .split(' ')
      .map((verb) => [`tmux ${verb}`, TMUX]),
  ),
  screen: { values: 'SsptTcehX', bare: 'dmDrRxLUaAifnOqvl', otherwise: 'bare' },
  xterm: { otherwise: 'bare', skip: Number.POSITIVE_INFINITY, commandWith: ['-e'], joins: 'single' },
};

/** How the arguments of bubblewrap are parsed. */
export const BUBBLEWRAP_ARGUMENT_SYNTAX: WrapperSyntax = {
  otherwise: 'bare',
  longPairs: [
    '--bind',
    '--bind-try',
    '--dev-bind',
    '--dev-bind-try',
    '--ro-bind',
    '--ro-bind-try',
    '--setenv',
    '--symlink',
    '--chmod',
    '--file',
    '--bind-data',
    '--ro-bind-data',
    '--overlay',
  ],
  longValues: [
    '--proc',
    '--dev',
    '--tmpfs',
    '--mqueue',
    '--dir',
    '--chdir',
    '--unsetenv',
    '--uid',
    '--gid',
    '--hostname',
    '--lock-file',
    '--seccomp',
    '--args',
    '--cap-add',
    '--cap-drop',
    '--perms',
    '--size',
    '--remount-ro',
    '--exec-label',
    '--file-label',
    '--argv0',
  ],
};
/**
 * Wrappers whose options all precede the command and never take the next word as a value.
 */
export const FLAG_ONLY_WRAPPERS: Readonly<Record<string, WrapperSyntax>> = Object.fromEntries(
  'fakeroot fakechroot chronic catchsegv eatmydata rlwrap setarch linux32 linux64 i386 x86_64 uname26 tini dumb-init catatonit tsocks proxychains4 proxybound torify usewithtor valgrind heaptrack unbuffer dbus-launch aa-exec sem annotate-output systemd-cat nocache ccache distcc icecc rr samply setlock lckdo'
    .split(' ')
    .map((name) => [name, { otherwise: 'bare' }]),
);
