import type { Json, JsonObject } from '@floe/contract/json';
import { isJsonObject } from './json-narrowing.ts';
import type { DialectName } from './response-events.ts';

type ClientFields = Readonly<Record<string, readonly string[]>>;

const CHAT_TOKEN_LIMITS = ['max_completion_tokens', 'max_tokens'] as const;
const CHAT_BUDGET = ['thinking.budget_tokens', 'reasoning.max_tokens'] as const;
const OPENAI_USER = ['safety_identifier', 'user'] as const;
const MESSAGES_EFFORT = ['output_config.effort', 'thinking.budget_tokens', 'thinking'] as const;
const MESSAGES_FORMAT = ['output_config.format', 'output_format'] as const;

/**
 * The client's paths of fields that have a different canonical name or a different name at a target. A
 * suffix, as in `stop.clamped`, is kept.
 */
const CLIENT_FIELDS: Readonly<Partial<Record<DialectName, ClientFields>>> = {
  chat: {
    user: OPENAI_USER,
    stop_sequences: ['stop'],
    max_tokens: CHAT_TOKEN_LIMITS,
    max_completion_tokens: CHAT_TOKEN_LIMITS,
    max_output_tokens: CHAT_TOKEN_LIMITS,
    'reasoning.effort': ['reasoning_effort', 'reasoning.effort', 'reasoning', 'thinking'],
    'reasoning.budget': CHAT_BUDGET,
    'response_format.strict': ['response_format.json_schema.strict'],
    'response_format.description': ['response_format.json_schema.description'],
    'image.detail': ['image_url.detail'],
  },
  responses: {
    user: OPENAI_USER,
    max_tokens: ['max_output_tokens'],
    max_completion_tokens: ['max_output_tokens'],
    reasoning_effort: ['reasoning.effort'],
    'reasoning.budget': ['reasoning.max_tokens'],
    response_format: ['text.format'],
    verbosity: ['text.verbosity'],
    'image.detail': ['input_image.detail'],
    'file.filename': ['input_file.filename'],
    'tool_calls.arguments': ['function_call.arguments'],
    'messages.content': ['input'],
  },
  messages: {
    user: ['metadata.user_id'],
    stop: ['stop_sequences'],
    max_completion_tokens: ['max_tokens'],
    max_output_tokens: ['max_tokens'],
    reasoning: ['thinking', 'output_config.effort'],
    'reasoning.budget': ['thinking.budget_tokens'],
    'reasoning.effort': MESSAGES_EFFORT,
    reasoning_effort: MESSAGES_EFFORT,
    response_format: MESSAGES_FORMAT,
    parallel_tool_calls: ['tool_choice.disable_parallel_tool_use'],
  },
};

/** Seals are a concept of Floe, so this name is the same for every dialect. */
const OWN_NAMES: ReadonlySet<string> = new Set(['reasoning.seal']);

/**
 * Converts the names of dropped fields to the names that the client used.
 * @example
 * toClientFieldNames(['user'], 'messages', { metadata: { user_id: 'u' } }); // ['metadata.user_id']
 */
export function toClientFieldNames(
  names: Iterable<string>,
  dialect: DialectName,
  body: JsonObject,
): string[] {
  const fields = CLIENT_FIELDS[dialect] ?? {};
  return [...new Set(Array.from(names, (name) => toClientField(name, fields, body)))];
}

function toClientField(name: string, fields: ClientFields, body: JsonObject): string {
  if (OWN_NAMES.has(name)) return name;
  for (let end = name.length; end > 0; end = name.lastIndexOf('.', end - 1)) {
    const start = name.slice(0, end);
    const paths = Object.hasOwn(fields, start) ? fields[start] : undefined;
    if (paths) return (paths.find((path) => isPresent(body, path)) ?? paths[0] ?? start) + name.slice(end);
  }
  return name;
}

function isPresent(body: JsonObject, path: string): boolean {
  let value: Json | undefined = body;
  for (const key of path.split('.')) value = isJsonObject(value) ? value[key] : undefined;
  return value !== undefined && value !== null;
}
