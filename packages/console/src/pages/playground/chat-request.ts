import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { playgroundText as strings } from './text.ts';

/** The prompt of the playground, and its conversion to a request body. Pure. */

/** A tool call in a response of a model. */
export interface ChatToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON text, exactly as the model wrote them. */
  readonly args: string;
}

/** A message of the conversation in the playground. */
export interface PlaygroundMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** Images as `data:` URLs. */
  readonly images?: readonly string[];
  /** The tool calls of an assistant message. */
  readonly calls?: readonly ChatToolCall[];
  /** The ID of the tool call that a tool message responds to. */
  readonly callId?: string;
}

/** The form values of the playground. */
export interface PlaygroundPrompt {
  readonly system: string;
  readonly turns: readonly PlaygroundMessage[];
  /** Numbers as typed. Empty means the model’s default. */
  readonly temperature: string;
  readonly maxTokens: string;
  /** The list of tools as JSON text. Empty means no tools. */
  readonly tools: string;
  readonly json: boolean;
  /** The JSON Schema that a JSON response must match, as JSON text. Empty means any JSON object. */
  readonly schema: string;
}

/** The initial form values of the playground. */
export const NEW_PLAYGROUND_PROMPT: PlaygroundPrompt = {
  system: '',
  turns: [{ role: 'user', text: '' }],
  temperature: '',
  maxTokens: '',
  tools: '',
  json: false,
  schema: '',
};

/** An example list of tools, as JSON text. */
export const EXAMPLE_TOOLS = JSON.stringify(
  [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'Get the current weather for a location.',
        parameters: {
          type: 'object',
          properties: { place: { type: 'string' } },
          required: ['place'],
        },
      },
    },
  ],
  null,
  2,
);

/** Returns why the prompt cannot be sent, or null if it can. */
export function validatePrompt(
  prompt: PlaygroundPrompt,
): { readonly field: string; readonly text: string } | null {
  if (!prompt.turns.some(({ text, images }) => text.trim() !== '' || images?.length))
    return { field: 'turns', text: strings.problems.noMessage };
  if (prompt.temperature !== '' && !(Number(prompt.temperature) >= 0 && Number(prompt.temperature) <= 2))
    return { field: 'temperature', text: strings.problems.temperature };
  if (prompt.maxTokens !== '' && !/^[1-9]\d{0,6}$/.test(prompt.maxTokens))
    return { field: 'max_tokens', text: strings.problems.maxTokens };
  if (prompt.json && prompt.schema.trim() !== '' && schemaOf(prompt.schema) === null)
    return { field: 'schema', text: strings.problems.schema };
  return prompt.tools.trim() !== '' && toolsOf(prompt.tools) === null
    ? { field: 'tools', text: strings.problems.tools }
    : null;
}

function toolsOf(text: string): readonly JsonObject[] | null {
  try {
    const value: Json = JSON.parse(text);
    return Array.isArray(value) && value.length > 0 && value.every(isJsonObject)
      ? value.filter(isJsonObject)
      : null;
  } catch {
    return null;
  }
}

function schemaOf(text: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function formatOf({ json, schema }: PlaygroundPrompt): JsonObject {
  if (!json) return {};
  const wanted = schemaOf(schema);
  return {
    response_format: wanted
      ? { type: 'json_schema', json_schema: { name: 'answer', schema: wanted } }
      : { type: 'json_object' },
  };
}

/** Converts a prompt to a Chat Completions request body. */
export function toChatRequestBody(prompt: PlaygroundPrompt, model: string): JsonObject {
  const tools = toolsOf(prompt.tools);
  return {
    model,
    messages: [
      ...(prompt.system.trim() === '' ? [] : [{ role: 'system', content: prompt.system }]),
      ...prompt.turns.filter(hasContent).map(messageOf),
    ],
    ...(prompt.temperature === '' ? {} : { temperature: Number(prompt.temperature) }),
    ...(prompt.maxTokens === '' ? {} : { max_tokens: Number(prompt.maxTokens) }),
    ...(tools ? { tools: [...tools] } : {}),
    ...formatOf(prompt),
  };
}

function hasContent({ text, images, calls, role }: PlaygroundMessage): boolean {
  return role === 'tool' || text.trim() !== '' || Boolean(images?.length) || Boolean(calls?.length);
}

function messageOf({ role, text, images = [], calls = [], callId }: PlaygroundMessage): JsonObject {
  if (role === 'tool') return { role, tool_call_id: callId ?? '', content: text };
  if (calls.length > 0)
    return {
      role,
      content: text === '' ? null : text,
      tool_calls: calls.map(({ id, name, args }) => ({
        id,
        type: 'function',
        function: { name, arguments: args },
      })),
    };
  if (images.length === 0) return { role, content: text };
  return {
    role,
    content: [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...images.map((url) => ({ type: 'image_url', image_url: { url } })),
    ],
  };
}

/**
 * Returns the conversation after a response, with the messages that the user fills in next: an empty user
 * message, or one tool message for each tool call.
 */
export function continueConversation(
  prompt: PlaygroundPrompt,
  answer: { readonly text: string; readonly calls: readonly ChatToolCall[] },
): PlaygroundPrompt {
  const { text, calls } = answer;
  const next: readonly PlaygroundMessage[] =
    calls.length === 0
      ? [{ role: 'user', text: '' }]
      : calls.map(({ id }): PlaygroundMessage => ({ role: 'tool', text: '{"ok":true}', callId: id }));
  return {
    ...prompt,
    turns: [...prompt.turns.filter(hasContent), { role: 'assistant', text, calls }, ...next],
  };
}
