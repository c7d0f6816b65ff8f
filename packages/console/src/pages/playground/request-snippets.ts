import type { JsonObject } from '@floe/contract/json';
import type { Snippet } from '../../ui/code-block.tsx';
import { type PlaygroundMessage, type PlaygroundPrompt, toChatRequestBody } from './chat-request.ts';
import { playgroundText } from './text.ts';

/** Converts a request to runnable code that reads the key from `FLOE_API_KEY`. Pure. */

/** Code that sends a prompt. */
export interface RequestSnippet extends Snippet {
  /** The parts of the prompt that the code does not contain, as display text. */
  readonly omitted: readonly string[];
}

/**
 * Returns code that sends the prompt, in several languages.
 * @param models One model, or several to compare. For several, the code calls each model and prints its name.
 * @param base The base URL of the gateway, such as `https://floe.example.com/gateway`.
 */
export function buildRequestSnippets(
  prompt: PlaygroundPrompt,
  models: readonly string[],
  base: string,
): readonly RequestSnippet[] {
  const chat = toChatRequestBody(prompt, '');
  const messages = messagesBody(prompt);
  const one = models.length === 1;
  const omitted = listOmittedParts(prompt);
  return [
    { label: 'curl', omitted: [], code: models.map((model) => curl({ ...chat, model }, base)).join('\n') },
    {
      label: 'Python, OpenAI',
      omitted: [],
      code: pythonCode(models, chat, {
        imports: 'from openai import OpenAI',
        client: `OpenAI(base_url="${base}/v1", api_key=os.environ["FLOE_API_KEY"])`,
        call: 'client.chat.completions.create',
        text: 'answer.choices[0].message.content',
      }),
    },
    {
      label: 'Python, Anthropic',
      omitted,
      code: pythonCode(models, messages, {
        imports: 'from anthropic import Anthropic',
        client: `Anthropic(base_url="${base}", api_key=os.environ["FLOE_API_KEY"])`,
        call: 'client.messages.create',
        text: 'answer.content[0].text',
      }),
    },
    {
      label: 'TypeScript, OpenAI',
      omitted: [],
      code: [
        "import OpenAI from 'openai';",
        '',
        `const client = new OpenAI({ baseURL: '${base}/v1', apiKey: process.env.FLOE_API_KEY });`,
        ...forEach(models, [
          `const answer = await client.chat.completions.create(${withModel(models, chat)});`,
          `console.log(${one ? '' : 'model, '}answer.choices[0].message.content);`,
        ]),
      ].join('\n'),
    },
    {
      label: 'TypeScript, Anthropic',
      omitted,
      code: [
        "import Anthropic from '@anthropic-ai/sdk';",
        '',
        `const client = new Anthropic({ baseURL: '${base}', apiKey: process.env.FLOE_API_KEY });`,
        ...forEach(models, [
          `const answer = await client.messages.create(${withModel(models, messages)});`,
          `console.log(${one ? '' : 'model, '}answer.content[0].type === 'text' ? answer.content[0].text : answer.content);`,
        ]),
      ].join('\n'),
    },
    { label: 'AI SDK', omitted, code: aiSdk(prompt, models, base) },
  ];
}

function curl(body: JsonObject, base: string): string {
  return [
    `curl -fsS ${base}/v1/chat/completions \\`,
    '  -H "Authorization: Bearer $FLOE_API_KEY" -H "Content-Type: application/json" \\',
    // Escapes single quotes for the shell: the quoted string ends, an escaped quote follows, and a new string
    // starts.
    `  -d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`,
  ].join('\n');
}

interface PythonSdk {
  readonly imports: string;
  readonly client: string;
  readonly call: string;
  /** The expression that returns the text of the response. */
  readonly text: string;
}

function pythonCode(models: readonly string[], body: JsonObject, sdk: PythonSdk): string {
  const { model: _, ...rest } = body;
  const [only] = models;
  const one = models.length === 1;
  const callLines = [
    `answer = ${sdk.call}(`,
    `    model=${one ? python(only) : 'model'},`,
    ...Object.entries(rest).map(([name, value]) => `    ${name}=${python(value)},`),
    ')',
    one ? `print(${sdk.text})` : `print(f"{model}: {${sdk.text}}")`,
  ];
  return [
    'import os',
    sdk.imports,
    '',
    `client = ${sdk.client}`,
    ...(one
      ? callLines
      : [`for model in ${python([...models])}:`, ...callLines.map((line) => `    ${line}`)]),
  ].join('\n');
}

/** Returns the code lines, in a loop over the models if there are several. */
function forEach(models: readonly string[], lines: readonly string[]): string[] {
  if (models.length === 1) return [...lines];
  const each = lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}`);
  return [`for (const model of ${JSON.stringify(models)}) {`, ...each, '}'];
}

/** Formats the body as an object in the code. If there are several models, the model is a variable. */
function withModel(models: readonly string[], body: JsonObject): string {
  const [only] = models;
  if (models.length === 1) return JSON.stringify({ ...body, model: only }, null, 2);
  const { model: _, ...rest } = body;
  return JSON.stringify(rest, null, 2).replace('{', '{\n  model,');
}

function aiSdk(prompt: PlaygroundPrompt, models: readonly string[], base: string): string {
  const messages = spokenTurns(prompt).map(({ role, text, images = [] }) => ({
    role,
    content: contentOf(
      text,
      images.map((image) => ({ type: 'image', image })),
    ),
  }));
  const options = {
    ...(prompt.system.trim() === '' ? {} : { system: prompt.system }),
    messages,
    ...(prompt.temperature === '' ? {} : { temperature: Number(prompt.temperature) }),
    ...(prompt.maxTokens === '' ? {} : { maxOutputTokens: Number(prompt.maxTokens) }),
  };
  const one = models.length === 1;
  const model = one ? `'${models[0]}'` : 'model';
  return [
    "import { createOpenAICompatible } from '@ai-sdk/openai-compatible';",
    "import { generateText } from 'ai';",
    '',
    `const floe = createOpenAICompatible({ name: 'floe', baseURL: '${base}/v1', apiKey: process.env.FLOE_API_KEY });`,
    ...forEach(models, [
      `const { text } = await generateText({ model: floe(${model}), ...${JSON.stringify(options, null, 2)} });`,
      `console.log(${one ? '' : 'model, '}text);`,
    ]),
  ].join('\n');
}

/** Returns the messages without tool calls and their results, which have a different format in these two SDKs. */
function spokenTurns({ turns }: PlaygroundPrompt): readonly PlaygroundMessage[] {
  return turns.filter(
    ({ role, text, images = [] }) => role !== 'tool' && (text.trim() !== '' || images.length > 0),
  );
}

/** Returns the content of a message. Both SDKs use the same format for text. */
function contentOf(text: string, images: readonly JsonObject[]): string | JsonObject[] {
  if (images.length === 0) return text;
  return [...(text === '' ? [] : [{ type: 'text', text }]), ...images];
}

/** Converts a `data:` URL to an image of Messages. */
function messagesImage(url: string): JsonObject {
  const [, type = '', data = ''] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
  return { type: 'image', source: { type: 'base64', media_type: type, data } };
}

/** Lists what the code for the Anthropic SDK and the AI SDK does not contain. */
function listOmittedParts({ tools, turns, json }: PlaygroundPrompt): readonly string[] {
  const text = playgroundText.page.omitted;
  return [
    ...(tools.trim() === '' ? [] : [text.tools]),
    ...(turns.some(({ role, calls = [] }) => role === 'tool' || calls.length > 0) ? [text.toolTurns] : []),
    ...(json ? [text.json] : []),
  ];
}

function messagesBody(prompt: PlaygroundPrompt): JsonObject {
  return {
    model: '',
    max_tokens: prompt.maxTokens === '' ? 1024 : Number(prompt.maxTokens),
    ...(prompt.system.trim() === '' ? {} : { system: prompt.system }),
    messages: spokenTurns(prompt).map(({ role, text, images = [] }) => ({
      role,
      content: contentOf(text, images.map(messagesImage)),
    })),
    ...(prompt.temperature === '' ? {} : { temperature: Number(prompt.temperature) }),
  };
}

/**
 * Formats a JSON value as a Python literal. JSON strings are valid in Python, except for lone surrogates,
 * which users cannot type.
 */
function python(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value === 'object' && value !== undefined)
    return `{${Object.entries(value)
      .map(([name, one]) => `${JSON.stringify(name)}: ${python(one)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
}
