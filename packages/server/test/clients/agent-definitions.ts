// The agents as data: how each is pointed at Floe, told a task and left alone.
import type { JsonObject } from '@floe/contract/json';
import type { ClientSurface } from '../dialect-gateway.ts';

export interface AgentRunContext {
  /** Address of the gateway, ending in `/v1`. */
  readonly url: string;
  readonly key: string;
  /** As Floe knows it: provider and model. */
  readonly model: string;
  /** The agent's home directory; its task is done in `work` below it. */
  readonly home: string;
  readonly task: string;
}

export interface AgentDefinition {
  readonly name: string;
  /** npm package, of clients/agents/package.json. */
  readonly package: string;
  readonly program: string;
  readonly surface: ClientSurface;
  /** What the model orders: the agent's own tool, and its arguments for this shell command. */
  readonly tool: string;
  readonly input: (command: string) => JsonObject;
  /** What a freeform tool is given instead, where the upstream knows such tools. */
  readonly freeform?: string;
  /** The provider's model, when its name matters to the agent. */
  readonly model?: string;
  readonly args: (place: AgentRunContext) => readonly string[];
  readonly env: (place: AgentRunContext) => Readonly<Record<string, string>>;
  /** Files below the home directory. */
  readonly files?: (place: AgentRunContext) => Readonly<Record<string, string>>;
  /** It would send loopback to a proxy as well: it gets none. */
  readonly isUnproxied?: boolean;
  /** Run first, in the same environment. */
  readonly setupArgs?: (place: AgentRunContext) => readonly string[];
}

const stripVersion = (url: string) => url.replace(/\/v1$/, '');
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const opencode = (provider: string, surface: ClientSurface, npm: string): AgentDefinition => ({
  name: `opencode, ${provider}`,
  package: 'opencode-ai',
  program: 'opencode',
  surface,
  tool: 'bash',
  input: (command) => ({ command, description: 'Writes a file' }),
  args: ({ model, task }) => ['run', '-m', `${provider}/${model}`, task],
  env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
  files: ({ url, key, model }) => ({
    '.config/opencode/opencode.json': json({
      autoupdate: false,
      share: 'disabled',
      provider: { [provider]: { npm, options: { baseURL: url, apiKey: key }, models: { [model]: {} } } },
    }),
  }),
});

const copilot = (
  name: string,
  surface: ClientSurface,
  env: Readonly<Record<string, string>>,
): AgentDefinition => ({
  name: `Copilot CLI, ${name}`,
  package: '@github/copilot',
  program: 'copilot',
  surface,
  tool: 'bash',
  input: (command) => ({ command, description: 'Writes a file' }),
  args: ({ task }) => ['-p', task, '--allow-all-tools', '--no-color'],
  env: ({ url, key, model }) => ({
    COPILOT_PROVIDER_BASE_URL: surface === 'messages' ? stripVersion(url) : url,
    COPILOT_PROVIDER_API_KEY: key,
    COPILOT_MODEL: model,
    COPILOT_AUTO_UPDATE: 'false',
    ...env,
  }),
});

export const PROOF_TEXT = 'floe-was-here';
const PATCH = `*** Begin Patch\n*** Add File: proof.txt\n+${PROOF_TEXT}\n*** End Patch`;

export const AGENT_DEFINITIONS: readonly AgentDefinition[] = [
  {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    program: 'claude',
    surface: 'messages',
    tool: 'Bash',
    input: (command) => ({ command, description: 'Writes a file' }),
    args: ({ model, task }) => ['-p', task, '--model', model, '--allowedTools', 'Bash'],
    env: ({ url, key }) => ({
      ANTHROPIC_BASE_URL: stripVersion(url),
      ANTHROPIC_AUTH_TOKEN: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_MAX_RETRIES: '1',
    }),
  },
  {
    name: 'Codex',
    package: '@openai/codex',
    program: 'codex',
    surface: 'responses',
    tool: 'exec_command',
    input: (cmd) => ({ cmd }),
    args: ({ model, task }) => [
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      '-m',
      model,
      task,
    ],
    env: ({ key, home }) => ({ FLOE_KEY: key, CODEX_HOME: `${home}/.codex` }),
    files: ({ url }) => ({
      '.codex/config.toml': [
        'model_provider = "floe"',
        'check_for_update_on_startup = false',
        '[model_providers.floe]',
        'name = "Floe"',
        `base_url = "${url}"`,
        'env_key = "FLOE_KEY"',
        'wire_api = "responses"',
        'request_max_retries = 0',
        'stream_max_retries = 0',
        '',
      ].join('\n'),
    }),
  },
  {
    // Asks for a WebSocket first; knows the model, and so has its freeform tool for patches.
    name: 'Codex, built-in provider and patches',
    package: '@openai/codex',
    program: 'codex',
    surface: 'responses',
    tool: 'apply_patch',
    input: () => ({ input: PATCH }),
    freeform: PATCH,
    model: 'gpt-5.5',
    args: ({ url, model, task }) => [
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      '-c',
      'model_provider=openai',
      '-c',
      `openai_base_url=${url}`,
      '-m',
      model,
      task,
    ],
    env: ({ key, home }) => ({ CODEX_API_KEY: key, CODEX_HOME: `${home}/.codex` }),
    files: () => ({ '.codex/config.toml': 'check_for_update_on_startup = false\n' }),
  },
  opencode('floe', 'chat', '@ai-sdk/openai-compatible'),
  opencode('openai', 'responses', '@ai-sdk/openai'),
  opencode('anthropic', 'messages', '@ai-sdk/anthropic'),
  copilot('completions', 'chat', {}),
  copilot('responses', 'responses', { COPILOT_PROVIDER_WIRE_API: 'responses' }),
  copilot('anthropic', 'messages', { COPILOT_PROVIDER_TYPE: 'anthropic' }),
  {
    name: 'Continue CLI',
    package: '@continuedev/cli',
    program: 'cn',
    surface: 'chat',
    tool: 'Bash',
    input: (command) => ({ command }),
    args: ({ home, task }) => ['--config', `${home}/config.yaml`, '-p', task, '--auto'],
    env: () => ({ CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_CLI_ENABLE_TELEMETRY: '0' }),
    files: ({ url, key, model }) => ({
      'config.yaml': json({
        name: 'Floe',
        version: '1.0.0',
        schema: 'v1',
        models: [{ name: 'floe', provider: 'openai', model, apiBase: url, apiKey: key, roles: ['chat'] }],
      }),
    }),
  },
  {
    name: 'Cline CLI',
    package: 'cline',
    program: 'cline',
    surface: 'chat',
    tool: 'run_commands',
    input: (command) => ({ commands: [command] }),
    setupArgs: ({ url, key, model }) => ['auth', '-p', 'openai', '-k', key, '-m', model, '-b', url],
    args: ({ model, task }) => ['-P', 'openai', '-m', model, '--json', task],
    env: () => ({ CLINE_NO_AUTO_UPDATE: '1', CLINE_TELEMETRY_DISABLED: '1' }),
  },
  {
    name: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    isUnproxied: true,
    program: 'qwen',
    surface: 'chat',
    tool: 'run_shell_command',
    input: (command) => ({ command, is_background: false, description: 'Writes a file' }),
    args: ({ url, key, model, task }) => [
      '--auth-type',
      'openai',
      '--openai-api-key',
      key,
      '--openai-base-url',
      url,
      '-m',
      model,
      '-y',
      '-p',
      task,
    ],
    env: () => ({ QWEN_TELEMETRY_ENABLED: 'false' }),
    files: () => ({
      '.qwen/settings.json': json({
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      }),
    }),
  },
];
