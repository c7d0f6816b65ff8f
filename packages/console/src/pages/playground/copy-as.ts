import type { JsonObject } from '@floe/contract/json';
import { type Prompt, requestBody } from './chat-request.ts';

/** The same request as code that runs as it stands, with the key in `FLOE_KEY`. Pure. */

export interface Snippet {
  readonly label: string;
  readonly code: string;
}

/** @param base where the gateway answers, such as `https://floe.example.com/gateway` */
export function copiesOf(prompt: Prompt, model: string, base: string): readonly Snippet[] {
  const body = requestBody(prompt, model);
  return [
    { label: 'curl', code: curl(body, base) },
    { label: 'Python, OpenAI', code: pythonOpenai(body, base) },
    { label: 'Python, Anthropic', code: pythonAnthropic(prompt, model, base) },
    { label: 'TypeScript, OpenAI', code: typescriptOpenai(body, base) },
    { label: 'TypeScript, Anthropic', code: typescriptAnthropic(prompt, model, base) },
    { label: 'AI SDK', code: aiSdk(prompt, model, base) },
  ];
}

function curl(body: JsonObject, base: string): string {
  return [
    `curl -fsS ${base}/v1/chat/completions \\`,
    '  -H "Authorization: Bearer $FLOE_KEY" -H "Content-Type: application/json" \\',
    // A quote inside single quotes ends them for a moment: '\''.
    `  -d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`,
  ].join('\n');
}

function pythonOpenai(body: JsonObject, base: string): string {
  return [
    'import os',
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url="${base}/v1", api_key=os.environ["FLOE_KEY"])`,
    'answer = client.chat.completions.create(',
    ...Object.entries(body).map(([name, value]) => `    ${name}=${python(value)},`),
    ')',
    'print(answer.choices[0].message.content)',
  ].join('\n');
}

function pythonAnthropic(prompt: Prompt, model: string, base: string): string {
  const body = messagesBody(prompt, model);
  return [
    'import os',
    'from anthropic import Anthropic',
    '',
    `client = Anthropic(base_url="${base}", api_key=os.environ["FLOE_KEY"])`,
    'answer = client.messages.create(',
    ...Object.entries(body).map(([name, value]) => `    ${name}=${python(value)},`),
    ')',
    'print(answer.content[0].text)',
  ].join('\n');
}

function typescriptOpenai(body: JsonObject, base: string): string {
  return [
    "import OpenAI from 'openai';",
    '',
    `const client = new OpenAI({ baseURL: '${base}/v1', apiKey: process.env.FLOE_KEY });`,
    `const answer = await client.chat.completions.create(${JSON.stringify(body, null, 2)});`,
    'console.log(answer.choices[0].message.content);',
  ].join('\n');
}

function typescriptAnthropic(prompt: Prompt, model: string, base: string): string {
  return [
    "import Anthropic from '@anthropic-ai/sdk';",
    '',
    `const client = new Anthropic({ baseURL: '${base}', apiKey: process.env.FLOE_KEY });`,
    `const answer = await client.messages.create(${JSON.stringify(messagesBody(prompt, model), null, 2)});`,
    "console.log(answer.content[0].type === 'text' ? answer.content[0].text : answer.content);",
  ].join('\n');
}

function aiSdk(prompt: Prompt, model: string, base: string): string {
  const messages = spoken(prompt).map(({ role, text }) => ({ role, content: text }));
  const options = {
    ...(prompt.system.trim() === '' ? {} : { system: prompt.system }),
    messages,
    ...(prompt.temperature === '' ? {} : { temperature: Number(prompt.temperature) }),
    ...(prompt.maxTokens === '' ? {} : { maxOutputTokens: Number(prompt.maxTokens) }),
  };
  return [
    "import { createOpenAICompatible } from '@ai-sdk/openai-compatible';",
    "import { generateText } from 'ai';",
    '',
    `const floe = createOpenAICompatible({ name: 'floe', baseURL: '${base}/v1', apiKey: process.env.FLOE_KEY });`,
    `const { text } = await generateText({ model: floe('${model}'), ...${JSON.stringify(options, null, 2)} });`,
    'console.log(text);',
  ].join('\n');
}

/** Tools and pictures have another shape in these two: the words of the conversation go along. */
function spoken({ turns }: Prompt) {
  return turns.filter(({ role, text }) => role !== 'tool' && text.trim() !== '');
}

function messagesBody(prompt: Prompt, model: string): JsonObject {
  return {
    model,
    max_tokens: prompt.maxTokens === '' ? 1024 : Number(prompt.maxTokens),
    ...(prompt.system.trim() === '' ? {} : { system: prompt.system }),
    messages: spoken(prompt).map(({ role, text }) => ({ role, content: text })),
    ...(prompt.temperature === '' ? {} : { temperature: Number(prompt.temperature) }),
  };
}

/** JSON as Python writes it. JSON's strings are Python's too, but for lone surrogates, which nobody can type. */
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
