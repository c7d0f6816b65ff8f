import { join } from 'node:path';
import { getHomeDirectoryOrPlaceholder } from './home-directory.ts';

/** Where hooks are installed: for one user, in a project, or for all users of the machine. */
export type HookScope = 'user' | 'project' | 'managed';

/** The files in which the hooks of an agent can be configured, and their format. */
export interface AgentHookDefinition {
  readonly agent: string;
  /** Files by scope. Scopes that are absent cannot be installed with a command. */
  readonly files: Readonly<Partial<Record<HookScope, string>>>;
  /** `grouped`: groups with a matcher contain the entries. `flat`: the event contains them directly. */
  readonly layout: 'grouped' | 'flat';
  /** Matchers of hook groups by hook name. Null for a hook without a matcher. */
  readonly hooks: Readonly<Record<string, string | null>>;
  /** Additional root fields of the file that the agent requires. */
  readonly rootMembers: Readonly<Record<string, number>>;
  createEntry(command: string): Readonly<Record<string, string | number | boolean>>;
  /** A message for the user after the installation. */
  readonly note: string | null;
}

/** Longer than the default time limit of the hook, so that the agent does not end it before it has responded. */
const AGENT_TIMEOUT_SECONDS = 15;
const ALL_TOOLS = '*';

/** Environment of the machine, the user and the project. */
interface InstallEnvironment {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly project: string;
  /** Path of a file that administrators control. On Windows, it is below ProgramData. */
  readonly systemPath: (linux: string, mac: string, windows: string) => string;
}

const commandEntry = (command: string) => ({ type: 'command', command, timeout: AGENT_TIMEOUT_SECONDS });

const cursor = ({ home, project, systemPath }: InstallEnvironment): AgentHookDefinition => ({
  agent: 'cursor',
  files: {
    user: join(home, '.cursor', 'hooks.json'),
    project: join(project, '.cursor', 'hooks.json'),
    managed: systemPath(
      '/etc/cursor/hooks.json',
      '/Library/Application Support/Cursor/hooks.json',
      'Cursor\\hooks.json',
    ),
  },
  layout: 'flat',
  hooks: {
    beforeShellExecution: null,
    beforeMCPExecution: null,
    beforeReadFile: null,
    beforeSubmitPrompt: null,
    sessionStart: null,
  },
  rootMembers: { version: 1 },
  createEntry: (command) => ({ command, timeout: AGENT_TIMEOUT_SECONDS }),
  note: 'Restart Cursor, because it reads this file only at startup. To block the agent if a hook cannot start, set "failClosed": true in the entry of the hook.',
});

const claudeCode = ({ env, home, project, systemPath }: InstallEnvironment): AgentHookDefinition => ({
  agent: 'claude-code',
  files: {
    user: join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'settings.json'),
    project: join(project, '.claude', 'settings.json'),
    managed: systemPath(
      '/etc/claude-code/managed-settings.json',
      '/Library/Application Support/ClaudeCode/managed-settings.json',
      '..\\Program Files\\ClaudeCode\\managed-settings.json',
    ),
  },
  layout: 'grouped',
  hooks: { PreToolUse: ALL_TOOLS, UserPromptSubmit: null, SessionStart: null },
  rootMembers: {},
  createEntry: commandEntry,
  note: null,
});

const codex = ({ env, home, project }: InstallEnvironment): AgentHookDefinition => ({
  agent: 'codex',
  files: {
    user: join(env['CODEX_HOME'] || join(home, '.codex'), 'hooks.json'),
    project: join(project, '.codex', 'hooks.json'),
  },
  layout: 'grouped',
  hooks: { PreToolUse: ALL_TOOLS, PermissionRequest: ALL_TOOLS, UserPromptSubmit: null, SessionStart: null },
  rootMembers: {},
  createEntry: commandEntry,
  note: 'Codex silently skips a new or changed hook until you trust it: start codex, open /hooks and trust the hook. To deploy the hook to the machines of an organization, use requirements.toml (docs/reference/relay-hooks.md).',
});

const copilotCli = ({ env, home, project, systemPath }: InstallEnvironment): AgentHookDefinition => ({
  agent: 'copilot-cli',
  files: {
    user: join(env['COPILOT_HOME'] || join(home, '.copilot'), 'hooks', 'floe.json'),
    project: join(project, '.github', 'hooks', 'floe.json'),
    managed: systemPath(
      '/etc/github-copilot/policy.d/floe.json',
      '/etc/github-copilot/policy.d/floe.json',
      'GitHub\\Copilot\\policy.d\\floe.json',
    ),
  },
  layout: 'flat',
  hooks: { preToolUse: null, sessionStart: null },
  rootMembers: { version: 1 },
  createEntry: (command) => ({
    type: 'command',
    bash: command,
    powershell: command,
    timeoutSec: AGENT_TIMEOUT_SECONDS,
  }),
  note: 'Copilot ignores hook decisions on prompts, so Floe can block only tool calls.',
});

const vscode = ({ project }: InstallEnvironment): AgentHookDefinition => ({
  agent: 'vscode',
  files: { project: join(project, '.github', 'hooks', 'floe-vscode.json') },
  layout: 'flat',
  hooks: { PreToolUse: null, UserPromptSubmit: null, SessionStart: null },
  rootMembers: {},
  createEntry: commandEntry,
  note: 'Hooks are a preview feature in VS Code. Copilot CLI also reads the directory .github/hooks.',
});

const geminiCli = ({ home, project }: InstallEnvironment): AgentHookDefinition => ({
  agent: 'gemini-cli',
  files: {
    user: join(home, '.gemini', 'settings.json'),
    project: join(project, '.gemini', 'settings.json'),
  },
  layout: 'grouped',
  hooks: { BeforeTool: ALL_TOOLS, BeforeAgent: null },
  rootMembers: {},
  createEntry: (command) => ({ type: 'command', command, timeout: AGENT_TIMEOUT_SECONDS * 1000 }),
  note: null,
});

const windsurf = ({ home, project, systemPath }: InstallEnvironment): AgentHookDefinition => ({
  agent: 'windsurf',
  files: {
    user: join(home, '.codeium', 'windsurf', 'hooks.json'),
    project: join(project, '.windsurf', 'hooks.json'),
    managed: systemPath(
      '/etc/windsurf/hooks.json',
      '/Library/Application Support/Windsurf/hooks.json',
      'Windsurf\\hooks.json',
    ),
  },
  layout: 'flat',
  hooks: {
    pre_run_command: null,
    pre_mcp_tool_use: null,
    pre_user_prompt: null,
    pre_read_code: null,
    pre_write_code: null,
  },
  rootMembers: {},
  createEntry: (command) => ({ command, show_output: false }),
  note: null,
});

/**
 * Returns the agents whose hooks Floe can install by writing a settings file, with the paths of these files.
 */
export function listAgentHookDefinitions(
  env: NodeJS.ProcessEnv,
  project: string,
): readonly AgentHookDefinition[] {
  const systemPath = (linux: string, mac: string, windows: string) => {
    if (process.platform === 'win32') return join(env['ProgramData'] ?? 'C:\\ProgramData', windows);
    return process.platform === 'darwin' ? mac : linux;
  };
  const environment: InstallEnvironment = { env, home: getHomeDirectoryOrPlaceholder(), project, systemPath };
  return [cursor, claudeCode, codex, copilotCli, vscode, geminiCli, windsurf].map((file) =>
    file(environment),
  );
}
