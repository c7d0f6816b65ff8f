import type { Snippet } from '../../ui/code-block.tsx';

/** What each client needs to talk to Floe: settings, and the traps people fall into. Facts of docs/reference/clients.md. Pure. */

export interface Place {
  /** Where the gateway answers, without a slash at its end: `https://floe.example.com/gateway`. */
  readonly gateway: string;
  /** The platform key, or the variable that holds it. */
  readonly key: string;
  readonly model: string;
}

export interface Client {
  readonly id: string;
  readonly name: string;
  readonly group: 'Agents' | 'IDEs' | 'SDKs' | 'Jobs';
  /** How it asks: which of the gateway's surfaces. */
  readonly surface: string;
  readonly snippets: (place: Place) => readonly Snippet[];
  /** What to do after pasting. */
  readonly run: string;
  readonly traps: readonly string[];
  /** Its maker's servers make the requests, so the address must be reachable from the internet. */
  readonly needsPublic?: boolean;
}

const WHOLE_ID = 'Tell it the model id of Floe, slash included.';

const AGENTS: readonly Client[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    group: 'Agents',
    surface: 'Messages',
    snippets: ({ gateway, key, model }) => [
      {
        label: 'Shell',
        code: `export ANTHROPIC_BASE_URL=${gateway}\nexport ANTHROPIC_AUTH_TOKEN=${key}\nclaude --model ${model}`,
      },
    ],
    run: 'Ask it anything.',
    traps: [
      'The address ends in /gateway, without /v1.',
      'Set ANTHROPIC_DEFAULT_HAIKU_MODEL to a small model of yours too: it asks for one in the background.',
      'A login of its own wins over the token: claude /logout.',
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
      { label: 'Shell', code: `export FLOE_API_KEY=${key}\ncodex` },
    ],
    run: 'Ask it anything.',
    traps: [
      'Its address ends in /gateway/v1.',
      'env_key is the name of the variable, not the key.',
      WHOLE_ID,
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
      { label: 'Shell', code: `export FLOE_API_KEY=${key}\nopencode run -m floe/${model} "Hello"` },
    ],
    run: 'It answers.',
    traps: ['A model that is not in "models" is not offered.', WHOLE_ID],
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
    run: 'Ask it anything.',
    traps: ['All three variables must be set in the shell that starts it.', WHOLE_ID],
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
    run: 'It answers.',
    traps: [WHOLE_ID],
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
    run: 'Ask it anything.',
    traps: ['With HTTPS_PROXY set it sends requests to loopback through that proxy too.', WHOLE_ID],
  },
];

const IDES: readonly Client[] = [
  {
    id: 'cursor',
    name: 'Cursor',
    group: 'IDEs',
    surface: 'IDE adapter',
    needsPublic: true,
    snippets: ({ gateway, key, model }) => [
      { label: 'Override OpenAI Base URL', code: `${gateway}/ide-adapter` },
      { label: 'OpenAI API Key', code: `sk-${key}` },
      { label: 'Custom model', code: model },
    ],
    run: 'In Settings → Models → API Keys; then ask in Ask or Plan mode.',
    traps: [
      'No slash and no /v1 at the end of the address.',
      'Its own Verify button asks for a fixed model and fails; the chat works.',
      'Add the whole model id by hand as a custom model.',
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
      { label: 'API key', code: key },
    ],
    run: 'Copilot’s own-key models: choose it in the model list.',
    traps: ['Each model has an entry of its own.', WHOLE_ID],
  },
  {
    id: 'continue',
    name: 'Continue',
    group: 'IDEs',
    surface: 'Chat Completions',
    snippets: ({ gateway, key, model }) => [
      {
        label: 'config.yaml',
        code: `name: Floe\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: floe\n    provider: openai\n    model: ${model}\n    apiBase: ${gateway}/v1\n    apiKey: ${key}\n    roles: [chat]`,
      },
    ],
    run: 'Choose floe in its model list.',
    traps: [WHOLE_ID],
  },
];

const SDKS: readonly Client[] = [
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
];

const JOBS: readonly Client[] = [
  {
    id: 'curl',
    name: 'curl',
    group: 'Jobs',
    surface: 'Chat Completions',
    snippets: ({ gateway, key, model }) => [
      {
        label: 'Shell',
        code: `curl -fsS ${gateway}/v1/chat/completions \\\n  -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\\n  -d '{"model":"${model}","messages":[{"role":"user","content":"Hello"}]}'`,
      },
    ],
    run: 'It answers.',
    traps: [WHOLE_ID],
  },
];

/** Every client that is known, in the order of the page. */
export const CLIENTS: readonly Client[] = [...AGENTS, ...IDES, ...SDKS, ...JOBS];
export const GROUPS = ['Agents', 'IDEs', 'SDKs', 'Jobs'] as const;

function sdk(id: string, name: string, surface: string, snippet: (place: Place) => Snippet): Client {
  return {
    id,
    name,
    group: 'SDKs',
    surface,
    snippets: (place) => [snippet(place)],
    run: 'It prints the answer.',
    traps: [
      surface === 'Messages'
        ? 'The address ends in /gateway, without /v1.'
        : 'The address ends in /gateway/v1, with /v1.',
      WHOLE_ID,
    ],
  };
}

/** A variable of the shell as a program reads it; a key as a text. */
function inPython(key: string): string {
  return key.startsWith('$') ? `os.environ["${key.slice(1)}"]` : `"${key}"`;
}

function inScript(key: string): string {
  return key.startsWith('$') ? `process.env.${key.slice(1)}` : `'${key}'`;
}

/** True for an address that only this machine or this network can reach. */
export function isPrivate(host: string): boolean {
  return (
    /^(localhost|\[::1\]|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/.test(host) ||
    /\.(local|internal|lan)$/.test(host)
  );
}
