/** An agent whose hook `floe hook install` can install. */
export interface HookAgent {
  /** The name of the agent in the command. */
  readonly agent: string;
  readonly label: string;
  /** Whether the hook can only be installed in a project, and not for a user. */
  readonly isPerProject?: boolean;
}

/** The agents whose hooks `floe hook install` can install. */
export const HOOK_AGENTS: readonly HookAgent[] = [
  { agent: 'claude-code', label: 'Claude Code' },
  { agent: 'cursor', label: 'Cursor' },
  { agent: 'codex', label: 'Codex' },
  { agent: 'copilot-cli', label: 'Copilot CLI' },
  { agent: 'vscode', label: 'VS Code', isPerProject: true },
  { agent: 'gemini-cli', label: 'Gemini CLI' },
  { agent: 'windsurf', label: 'Windsurf' },
];

/** Returns the shell commands that install the hook in an agent. `baseUrl` is the base URL of Floe. */
export function formatInstallCommands(
  { agent, label, isPerProject = false }: HookAgent,
  baseUrl: string,
): string {
  return [
    'cd floe && export PATH="$PATH:$PWD/packages/cli/bin" # in a clone of the Floe repository',
    `export FLOE_BASE_URL=${baseUrl.replace(/\/$/, '')}`,
    'export FLOE_RELAY_KEY=… # a platform key with the scope relay',
    ...(isPerProject
      ? [
          `# ${label} runs floe-hook from its PATH: also add packages/cli/bin of the clone to the PATH of each user permanently`,
          'cd ../project # the directory of your project',
        ]
      : []),
    `floe hook install ${agent}${isPerProject ? ' --project' : ''}`,
  ].join('\n');
}
