import { homedir } from 'node:os';
import { join } from 'node:path';

export type HookScope = 'user' | 'project' | 'managed';

/** Where an agent reads its hooks, and how they are written there. */
export interface AgentFile {
  readonly agent: string;
  /** Files by scope; a scope that is missing cannot be installed by a command. */
  readonly files: Readonly<Partial<Record<HookScope, string>>>;
  /** `grouped`: entries stand in groups with a matcher; `flat`: they stand in the event itself. */
  readonly shape: 'grouped' | 'flat';
  /** Names of the hooks, and what a group's matcher says; null for none. */
  readonly hooks: Readonly<Record<string, string | null>>;
  /** Members of the file beside `hooks`, where the agent wants them. */
  readonly root: Readonly<Record<string, number>>;
  entry(command: string): Readonly<Record<string, string | number | boolean>>;
  /** What the person still has to do or should know. */
  readonly note: string | null;
}

/** Longer than the hook's own deadlines, so that it is never ended before it has answered. */
const HOST_SECONDS = 15;
const TOOLS = '*';

/** Of the machine, the user and the directory a command runs in. */
interface At {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly project: string;
  /** A file of the machine's administrators; that of Windows is below its ProgramData. */
  readonly system: (linux: string, mac: string, windows: string) => string;
}

const seconds = (command: string) => ({ type: 'command', command, timeout: HOST_SECONDS });

const cursor = ({ home, project, system }: At): AgentFile => ({
  agent: 'cursor',
  files: {
    user: join(home, '.cursor', 'hooks.json'),
    project: join(project, '.cursor', 'hooks.json'),
    managed: system(
      '/etc/cursor/hooks.json',
      '/Library/Application Support/Cursor/hooks.json',
      'Cursor\\hooks.json',
    ),
  },
  shape: 'flat',
  hooks: {
    beforeShellExecution: null,
    beforeMCPExecution: null,
    beforeReadFile: null,
    beforeSubmitPrompt: null,
    sessionStart: null,
  },
  root: { version: 1 },
  entry: (command) => ({ command, timeout: HOST_SECONDS }),
  note: 'Cursor reads the file when it starts. Set "failClosed": true on an entry where a hook that cannot start is to stop the agent.',
});

const claudeCode = ({ env, home, project, system }: At): AgentFile => ({
  agent: 'claude-code',
  files: {
    user: join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'settings.json'),
    project: join(project, '.claude', 'settings.json'),
    managed: system(
      '/etc/claude-code/managed-settings.json',
      '/Library/Application Support/ClaudeCode/managed-settings.json',
      '..\\Program Files\\ClaudeCode\\managed-settings.json',
    ),
  },
  shape: 'grouped',
  hooks: { PreToolUse: TOOLS, UserPromptSubmit: null, SessionStart: null },
  root: {},
  entry: seconds,
  note: null,
});

const codex = ({ env, home, project }: At): AgentFile => ({
  agent: 'codex',
  files: {
    user: join(env['CODEX_HOME'] || join(home, '.codex'), 'hooks.json'),
    project: join(project, '.codex', 'hooks.json'),
  },
  shape: 'grouped',
  hooks: { PreToolUse: TOOLS, PermissionRequest: TOOLS, UserPromptSubmit: null, SessionStart: null },
  root: {},
  entry: seconds,
  note: 'Codex passes over a new or changed hook, silently, until it is trusted: start codex and answer /hooks. Machines of an organization get it through requirements.toml (docs/relay-clients.md).',
});

const copilotCli = ({ env, home, project, system }: At): AgentFile => ({
  agent: 'copilot-cli',
  files: {
    user: join(env['COPILOT_HOME'] || join(home, '.copilot'), 'hooks', 'floe.json'),
    project: join(project, '.github', 'hooks', 'floe.json'),
    managed: system(
      '/etc/github-copilot/policy.d/floe.json',
      '/etc/github-copilot/policy.d/floe.json',
      'GitHub\\Copilot\\policy.d\\floe.json',
    ),
  },
  shape: 'flat',
  hooks: { preToolUse: null, sessionStart: null },
  root: { version: 1 },
  entry: (command) => ({ type: 'command', bash: command, powershell: command, timeoutSec: HOST_SECONDS }),
  note: 'Copilot drops what hooks answer about prompts: only tools are stopped.',
});

const vscode = ({ project }: At): AgentFile => ({
  agent: 'vscode',
  files: { project: join(project, '.github', 'hooks', 'floe-vscode.json') },
  shape: 'flat',
  hooks: { PreToolUse: null, UserPromptSubmit: null, SessionStart: null },
  root: {},
  entry: seconds,
  note: 'Hooks are a preview in VS Code. Copilot CLI reads this directory too.',
});

const geminiCli = ({ home, project }: At): AgentFile => ({
  agent: 'gemini-cli',
  files: {
    user: join(home, '.gemini', 'settings.json'),
    project: join(project, '.gemini', 'settings.json'),
  },
  shape: 'grouped',
  hooks: { BeforeTool: TOOLS, BeforeAgent: null },
  root: {},
  entry: (command) => ({ type: 'command', command, timeout: HOST_SECONDS * 1000 }),
  note: null,
});

const windsurf = ({ home, project, system }: At): AgentFile => ({
  agent: 'windsurf',
  files: {
    user: join(home, '.codeium', 'windsurf', 'hooks.json'),
    project: join(project, '.windsurf', 'hooks.json'),
    managed: system(
      '/etc/windsurf/hooks.json',
      '/Library/Application Support/Windsurf/hooks.json',
      'Windsurf\\hooks.json',
    ),
  },
  shape: 'flat',
  hooks: {
    pre_run_command: null,
    pre_mcp_tool_use: null,
    pre_user_prompt: null,
    pre_read_code: null,
    pre_write_code: null,
  },
  root: {},
  entry: (command) => ({ command, show_output: false }),
  note: null,
});

/** Every agent whose hooks can be installed by writing a file. */
export function agentFiles(env: NodeJS.ProcessEnv, project: string): readonly AgentFile[] {
  const system = (linux: string, mac: string, windows: string) => {
    if (process.platform === 'win32') return join(env['ProgramData'] ?? 'C:\\ProgramData', windows);
    return process.platform === 'darwin' ? mac : linux;
  };
  const at: At = { env, home: homedir(), project, system };
  return [cursor, claudeCode, codex, copilotCli, vscode, geminiCli, windsurf].map((file) => file(at));
}
