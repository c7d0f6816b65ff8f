import type { Snippet } from '../../ui/code-block.tsx';
import { sharedClientNotes } from './text.ts';

/** Settings and common pitfalls of each client, as documented in docs/reference/clients.md. Pure. */

/** The values to insert in the settings of a client. */
export interface ClientConnectionSettings {
  /** Base URL of the gateway without a trailing slash, such as `https://floe.example.com/gateway`. */
  readonly gateway: string;
  /** The platform key, or the shell variable that contains it. */
  readonly key: string;
  readonly model: string;
}

/** A client that can be connected to the gateway, with its settings and notes. */
export interface ConnectableClient {
  readonly id: string;
  readonly name: string;
  readonly group: 'Agents' | 'IDEs' | 'SDKs';
  /** The gateway API that the client uses. */
  readonly surface: string;
  readonly snippets: (place: ClientConnectionSettings) => readonly Snippet[];
  /** What to do after pasting the settings. */
  readonly run: string;
  readonly pitfalls: readonly string[];
  /**
   * Whether the servers of the vendor send the requests. The gateway must then be reachable from the internet.
   */
  readonly needsPublic?: boolean;
}

/** The shell variable that snippets show instead of a key until a key is created. */
export const KEY_VARIABLE = '$FLOE_API_KEY';

/** Returns the command that sets the variable. Empty if the key is the variable itself. */
function formatKeyExport(key: string): string {
  return key === KEY_VARIABLE ? '' : `export FLOE_API_KEY=${key}\n`;
}

/** Returns the key, or another placeholder for it in settings in which no shell expands the variable. */
function withoutVariable(key: string, placeholder = '<your key>'): string {
  return key === KEY_VARIABLE ? placeholder : key;
}

const AGENTS: readonly ConnectableClient[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    group: 'Agents',
    surface: 'Messages',
    snippets: ({ gateway, key, model }) => [
      {
        label: 'Shell',
        code: `export ANTHROPIC_BASE_URL=${gateway}\nexport ANTHROPIC_AUTH_TOKEN=${key}\nexport ANTHROPIC_DEFAULT_HAIKU_MODEL=${model}\nclaude --model ${model}`,
      },
    ],
    run: sharedClientNotes.startAndPrompt('claude'),
    pitfalls: [
      sharedClientNotes.baseUrlWithoutVersion,
      'Claude Code uses ANTHROPIC_DEFAULT_HAIKU_MODEL for background requests. A small model is sufficient.',
      'A Claude login takes precedence over the token. Log out with: claude /logout.',
    ],
  },
  {
    id: 'codex',
    name: 'Codex',
    group: 'Agents',
    surface: 'Responses',
    snippets: ({ gateway, key, model }) => [
      {
        label: '~/.codex/config.toml',
        code: `model = "${model}"\nmodel_provider = "floe"\n\n[model_providers.floe]\nname = "Floe"\nbase_url = "${gateway}/v1"\nenv_key = "FLOE_API_KEY"\nwire_api = "responses"`,
      },
      { label: 'Shell', code: `${formatKeyExport(key)}codex` },
    ],
    run: sharedClientNotes.startAndPrompt('codex'),
    pitfalls: [
      sharedClientNotes.baseUrlWithVersion,
      'env_key is the name of the environment variable that contains the key, not the key itself.',
      sharedClientNotes.fullModelId,
    ],
  },
  {
    id: 'opencode',
    name: 'opencode',
    group: 'Agents',
    surface: 'Chat Completions',
    snippets: ({ gateway, key, model }) => [
      {
        label: 'opencode.json',
        code: JSON.stringify(
          {
            provider: {
              floe: {
                npm: '@ai-sdk/openai-compatible',
                options: { baseURL: `${gateway}/v1`, apiKey: '{env:FLOE_API_KEY}' },
                models: { [model]: {} },
              },
            },
          },
          null,
          2,
        ),
      },
      { label: 'Shell', code: `${formatKeyExport(key)}opencode run -m floe/${model} "Hello"` },
    ],
    run: sharedClientNotes.printsAnswer,
    pitfalls: ['opencode offers only the models that are listed in "models".', sharedClientNotes.fullModelId],
  },
  {
    id: 'copilot-cli',
    name: 'Copilot CLI',
    group: 'Agents',
    surface: 'Chat Completions',
    snippets: ({ gateway, key, model }) => [
      {
        label: 'Shell',
        code: `export COPILOT_PROVIDER_BASE_URL=${gateway}/v1\nexport COPILOT_PROVIDER_API_KEY=${key}\nexport COPILOT_MODEL=${model}\ncopilot`,
      },
    ],
    run: sharedClientNotes.startAndPrompt('copilot'),
    pitfalls: [
      'Set all three variables in the shell that starts Copilot CLI.',
      sharedClientNotes.fullModelId,
    ],
  },
  {
    id: 'cline',
    name: 'Cline CLI',
    group: 'Agents',
    surface: 'Chat Completions',
    snippets: ({ gateway, key, model }) => [
      {
        label: 'Shell',
        code: `cline auth -p openai -k ${key} -m ${model} -b ${gateway}/v1\ncline -P openai -m ${model} "Hello"`,
      },
    ],
    run: sharedClientNotes.printsAnswer,
    pitfalls: [sharedClientNotes.fullModelId],
  },
  {
    id: 'qwen-code',
    name: 'Qwen Code',
    group: 'Agents',
    surface: 'Chat Completions',
    snippets: ({ gateway, key, model }) => [
      {
        label: 'Shell',
        code: `qwen --auth-type openai --openai-base-url ${gateway}/v1 --openai-api-key ${key} -m ${model}`,
      },
    ],
    run: sharedClientNotes.startAndPrompt('qwen'),
    pitfalls: [
      'If HTTPS_PROXY is set, Qwen Code also sends requests to loopback addresses through that proxy.',
      sharedClientNotes.fullModelId,
    ],
  },
];

const IDES: readonly ConnectableClient[] = [
  {
    id: 'cursor',
    name: 'Cursor',
    group: 'IDEs',
    surface: 'IDE adapter',
    needsPublic: true,
    snippets: ({ gateway, key, model }) => [
      { label: 'Override OpenAI Base URL', code: `${gateway}/ide-adapter` },
      { label: 'OpenAI API Key', code: `sk-${withoutVariable(key)}` },
      { label: 'Custom model', code: model },
    ],
    run: 'Enter the values in Settings > Models > API Keys. Then send a prompt in Ask or Plan mode.',
    pitfalls: [
      'The base URL ends in /ide-adapter. Do not add a trailing slash or /v1.',
      'Cursor’s Verify button always fails, because it requests a fixed model. Chat still works.',
      'Add the complete model ID as a custom model.',
    ],
  },
  {
    id: 'vscode',
    name: 'VS Code',
    group: 'IDEs',
    surface: 'IDE adapter',
    snippets: ({ gateway, key, model }) => [
      {
        label: 'Custom endpoint',
        code: JSON.stringify(
          {
            name: model,
            id: model,
            apiType: 'chat-completions',
            url: `${gateway}/ide-adapter/chat/completions`,
          },
          null,
          2,
        ),
      },
      { label: 'API key', code: withoutVariable(key) },
    ],
    run: 'In Copilot, add the endpoint as a custom model, then choose that model from the model list.',
    pitfalls: ['Each model needs its own entry.', sharedClientNotes.fullModelId],
  },
  {
    id: 'continue',
    name: 'Continue',
    group: 'IDEs',
    surface: 'Chat Completions',
    snippets: ({ gateway, key, model }) => [
      {
        label: 'config.yaml',
        code: `name: Floe\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: floe\n    provider: openai\n    model: ${model}\n    apiBase: ${gateway}/v1\n    apiKey: ${withoutVariable(key, `\${{ secrets.FLOE_API_KEY }}`)}\n    roles: [chat]`,
      },
    ],
    run: 'In Continue, choose floe from the model list.',
    pitfalls: [sharedClientNotes.fullModelId],
  },
];

const SDKS: readonly ConnectableClient[] = [
  sdk('python-openai', 'Python, OpenAI', 'Chat Completions', ({ gateway, key, model }) => ({
    label: 'Python',
    code: `import os\nfrom openai import OpenAI\n\nclient = OpenAI(base_url="${gateway}/v1", api_key=${inPython(key)})\nanswer = client.chat.completions.create(\n    model="${model}",\n    messages=[{"role": "user", "content": "Hello"}],\n)\nprint(answer.choices[0].message.content)`,
  })),
  sdk('python-anthropic', 'Python, Anthropic', 'Messages', ({ gateway, key, model }) => ({
    label: 'Python',
    code: `import os\nfrom anthropic import Anthropic\n\nclient = Anthropic(base_url="${gateway}", api_key=${inPython(key)})\nanswer = client.messages.create(\n    model="${model}",\n    max_tokens=1024,\n    messages=[{"role": "user", "content": "Hello"}],\n)\nprint(answer.content[0].text)`,
  })),
  sdk('typescript-openai', 'TypeScript, OpenAI', 'Chat Completions', ({ gateway, key, model }) => ({
    label: 'TypeScript',
    code: `import OpenAI from 'openai';\n\nconst client = new OpenAI({ baseURL: '${gateway}/v1', apiKey: ${inScript(key)} });\nconst answer = await client.chat.completions.create({\n  model: '${model}',\n  messages: [{ role: 'user', content: 'Hello' }],\n});\nconsole.log(answer.choices[0].message.content);`,
  })),
  sdk('typescript-anthropic', 'TypeScript, Anthropic', 'Messages', ({ gateway, key, model }) => ({
    label: 'TypeScript',
    code: `import Anthropic from '@anthropic-ai/sdk';\n\nconst client = new Anthropic({ baseURL: '${gateway}', apiKey: ${inScript(key)} });\nconst answer = await client.messages.create({\n  model: '${model}',\n  max_tokens: 1024,\n  messages: [{ role: 'user', content: 'Hello' }],\n});\nconsole.log(answer.content);`,
  })),
  sdk('ai-sdk', 'AI SDK', 'Chat Completions', ({ gateway, key, model }) => ({
    label: 'TypeScript',
    code: `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';\nimport { generateText } from 'ai';\n\nconst floe = createOpenAICompatible({ name: 'floe', baseURL: '${gateway}/v1', apiKey: ${inScript(key)}, includeUsage: true });\nconst { text } = await generateText({ model: floe('${model}'), prompt: 'Hello' });\nconsole.log(text);`,
  })),
  sdk('langchain', 'LangChain JS', 'Chat Completions', ({ gateway, key, model }) => ({
    label: 'TypeScript',
    code: `import { ChatOpenAI } from '@langchain/openai';\n\nconst chat = new ChatOpenAI({ model: '${model}', apiKey: ${inScript(key)}, configuration: { baseURL: '${gateway}/v1' } });\nconsole.log((await chat.invoke('Hello')).content);`,
  })),
  {
    id: 'curl',
    name: 'curl',
    group: 'SDKs',
    surface: 'Chat Completions',
    snippets: ({ gateway, key, model }) => [
      {
        label: 'Shell',
        code: `curl -fsS ${gateway}/v1/chat/completions \\\n  -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\\n  -d '{"model":"${model}","messages":[{"role":"user","content":"Hello"}]}'`,
      },
    ],
    run: sharedClientNotes.printsAnswer,
    pitfalls: [sharedClientNotes.fullModelId],
  },
];

/** All clients in display order. */
export const CONNECTABLE_CLIENTS: readonly ConnectableClient[] = [...AGENTS, ...IDES, ...SDKS];
/** The groups of clients, in display order. */
export const CLIENT_GROUPS = ['Agents', 'IDEs', 'SDKs'] as const;

function sdk(
  id: string,
  name: string,
  surface: string,
  snippet: (place: ClientConnectionSettings) => Snippet,
): ConnectableClient {
  return {
    id,
    name,
    group: 'SDKs',
    surface,
    snippets: (place) => [snippet(place)],
    run: sharedClientNotes.printsAnswer,
    pitfalls: [
      surface === 'Messages' ? sharedClientNotes.baseUrlWithoutVersion : sharedClientNotes.baseUrlWithVersion,
      sharedClientNotes.fullModelId,
    ],
  };
}

/** Returns a shell variable or a key as a Python expression. */
function inPython(key: string): string {
  return key.startsWith('$') ? `os.environ["${key.slice(1)}"]` : `"${key}"`;
}

function inScript(key: string): string {
  return key.startsWith('$') ? `process.env.${key.slice(1)}` : `'${key}'`;
}

/** Returns whether a host name can be reached only from this machine or its network. */
export function isPrivateHost(host: string): boolean {
  return (
    /^(localhost|\[::1\]|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/.test(host) ||
    /\.(local|internal|lan)$/.test(host)
  );
}
