import type { Json, JsonNumber, JsonObject } from '@floe/contract/json';
import {
  asArray,
  asBoolean,
  asNonEmpty,
  asNumber,
  asObject,
  asString,
  isJsonArray,
  isNonEmpty,
} from '../json-narrowing.ts';
import { readReasoning } from '../read-reasoning.ts';
import { readResponseFormat, readToolChoice, readTools } from '../read-tools.ts';
import type { ReasoningSettings, ResponseFormat, ToolChoice, ToolDefinition } from '../request.ts';
import { createInvalidFieldFault, type RequestReadContext, readTokenLimit } from '../request-read-context.ts';

const TOKEN_LIMIT_FIELDS = ['max_output_tokens', 'max_completion_tokens', 'max_tokens'] as const;
const SERVICE_TIERS = new Set(['auto', 'default', 'flex', 'scale', 'priority']);
const VERBOSITIES = new Set(['low', 'medium', 'high']);
const GRAMMAR_SYNTAXES = new Set(['lark', 'regex']);

/** Metadata of the IDE, which providers do not need. */
const INTERNAL_METADATA_KEY = /^cursor/i;
const CONVERSATION_ID_KEY = /conversation_?id$/i;
/** OpenAI's limits for `metadata`. */
const MAX_METADATA_PAIRS = 16;
const MAX_METADATA_KEY_CHARS = 64;
const MAX_METADATA_VALUE_CHARS = 512;

/** A request's tools and its tool choice. */
export interface IdeToolSettings {
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice | undefined;
  readonly parallelTools: boolean | undefined;
}

/**
 * Reads the tools, in the form of any dialect, and the tool choice. Hosted tools are dropped.
 * @throws Fault 400 if the tool choice names a hosted tool
 */
export function readIdeToolSettings(body: JsonObject, draft: RequestReadContext): IdeToolSettings {
  const member = isNonEmpty(body['tools']) ? 'tools' : 'functions';
  draft.reportUnusedMembers(body, member, ['tools', 'functions']);
  const given = body[member];
  if (isNonEmpty(given) && !isJsonArray(given))
    throw createInvalidFieldFault(`\`${member}\` must be an array.`, member);
  const tools = readTools(given, member, draft, true);
  for (const tool of tools) {
    if (tool.name === '')
      throw createInvalidFieldFault(`Each tool in \`${member}\` must have a name.`, member);
    if (tool.kind === 'freeform' && tool.grammar && !GRAMMAR_SYNTAXES.has(tool.grammar.syntax))
      throw createInvalidFieldFault(
        `The grammar syntax of the tool \`${tool.name}\` must be \`lark\` or \`regex\`.`,
        member,
      );
  }
  const choice = draft.readFirst(body, ['tool_choice', 'function_call'], asNonEmpty);
  const parallel =
    asObject(body['tool_choice'])?.['disable_parallel_tool_use'] === true
      ? false
      : asBoolean(body['parallel_tool_calls']);
  return {
    tools,
    toolChoice: readAllowedToolChoice(choice, tools, asArray(given).length > 0, draft),
    parallelTools: tools.length > 0 ? parallel : undefined,
  };
}

function readAllowedToolChoice(
  value: Json | undefined,
  tools: readonly ToolDefinition[],
  wereGiven: boolean,
  draft: RequestReadContext,
): ToolChoice | undefined {
  if (!isNonEmpty(value)) return undefined;
  if (tools.length === 0) {
    const word = asString(asObject(value)?.['type']) ?? '';
    if (wereGiven && asObject(value) && !['auto', 'none', 'any', 'required', 'allowed_tools'].includes(word))
      throw createInvalidFieldFault(
        '`tool_choice` must not select a tool, because `tools` contains only hosted tools, which the IDE adapter does not support. Add a function tool to `tools`, or omit `tool_choice`.',
        'tool_choice',
      );
    return undefined;
  }
  if (typeof value !== 'string' && asObject(value) === undefined)
    throw createInvalidFieldFault('`tool_choice` must be a string or an object.', 'tool_choice');
  const choice = readToolChoice(value, tools, draft);
  return choice?.mode === 'none' ? { mode: 'none' } : choice;
}

/**
 * Returns the first token limit that is present, under the name that any dialect uses.
 * @throws Fault 400 if it is not a positive integer
 */
export function readIdeTokenLimit(body: JsonObject, draft: RequestReadContext): JsonNumber | undefined {
  const given = readTokenLimit(body, TOKEN_LIMIT_FIELDS, draft);
  const limit = asNumber(given);
  if (limit === undefined || (Number.isInteger(limit) && limit > 0)) return given;
  const member = TOKEN_LIMIT_FIELDS.find((name) => body[name] === given) ?? 'max_tokens';
  throw createInvalidFieldFault(`\`${member}\` must be a positive integer.`, member);
}

/**
 * Reads the reasoning settings. A summary is dropped and reported, because Chat responses to IDEs contain no
 * reasoning.
 */
export function readIdeReasoning(body: JsonObject, draft: RequestReadContext): ReasoningSettings | undefined {
  const reasoning = readReasoning(body, draft);
  if (reasoning?.summary === undefined) return reasoning;
  draft.reportDropped('reasoning.summary');
  const { effort, budget, adaptive } = reasoning;
  return effort === undefined && budget === undefined && adaptive === undefined
    ? undefined
    : { effort, budget, adaptive };
}

/** Reads the first non-empty member of `response_format`, `text.format` and `output_config.format`. */
export function readIdeResponseFormat(
  body: JsonObject,
  draft: RequestReadContext,
): ResponseFormat | undefined {
  const formats: JsonObject = {
    response_format: body['response_format'],
    'text.format': asObject(body['text'])?.['format'],
    'output_config.format': asObject(body['output_config'])?.['format'],
    output_format: body['output_format'],
  };
  const used = Object.keys(formats).find((path) => isNonEmpty(formats[path]));
  return readResponseFormat(
    draft.readFirst(formats, Object.keys(formats), asNonEmpty),
    used ?? 'response_format',
    draft,
  );
}

/** Reads the verbosity; undefined if absent or unknown. An unknown verbosity is reported as dropped. */
export function readIdeVerbosity(body: JsonObject, draft: RequestReadContext): string | undefined {
  return allowedValue(
    draft.readFirst(
      { 'text.verbosity': asObject(body['text'])?.['verbosity'], verbosity: body['verbosity'] },
      ['text.verbosity', 'verbosity'],
      asString,
    ),
    VERBOSITIES,
    () => draft.reportDropped('verbosity'),
  );
}

/** Reads the service tier; undefined if absent or unknown. An unknown tier is reported as dropped. */
export function readIdeServiceTier(body: JsonObject, draft: RequestReadContext): string | undefined {
  return allowedValue(asString(body['service_tier']), SERVICE_TIERS, () =>
    draft.reportDropped('service_tier'),
  );
}

function allowedValue(
  word: string | undefined,
  words: ReadonlySet<string>,
  unlisted: () => void,
): string | undefined {
  if (word === undefined || words.has(word)) return word;
  unlisted();
  return undefined;
}

/** The user and conversation of a request, and its remaining metadata. */
export interface IdeRequestAttribution {
  readonly user: string | undefined;
  readonly cacheKey: string | undefined;
  readonly metadata: Readonly<Record<string, string>> | undefined;
}

/**
 * Reads the user, conversation and metadata of a request. The account name in the IDE's metadata identifies the
 * user. The conversation is `prompt_cache_key`, or else the conversation id in the IDE's metadata. That id is
 * not forwarded.
 */
export function readIdeRequestAttribution(
  body: JsonObject,
  draft: RequestReadContext,
): IdeRequestAttribution {
  const pairs = Object.entries(asObject(body['metadata']) ?? {});
  const conversation = pairs.find(
    ([key, value]) => CONVERSATION_ID_KEY.test(key) && typeof value === 'string',
  );
  const kept = pairs.flatMap(([key, value]) => {
    if (key === 'user_id' || INTERNAL_METADATA_KEY.test(key) || CONVERSATION_ID_KEY.test(key)) return [];
    if (
      typeof value === 'string' &&
      key.length <= MAX_METADATA_KEY_CHARS &&
      value.length <= MAX_METADATA_VALUE_CHARS
    )
      return [[key, value] as const];
    draft.reportDropped('metadata');
    return [];
  });
  if (kept.length > MAX_METADATA_PAIRS) draft.reportDropped('metadata');
  const named = asString(conversation?.[1]);
  const users = {
    user: body['user'],
    safety_identifier: body['safety_identifier'],
    'metadata.user_id': asObject(body['metadata'])?.['user_id'],
  };
  return {
    user: draft.readFirst(users, Object.keys(users), nonEmptyText),
    cacheKey: nonEmptyText(body['prompt_cache_key']) ?? (named === '' ? undefined : named),
    metadata: kept.length === 0 ? undefined : Object.fromEntries(kept.slice(0, MAX_METADATA_PAIRS)),
  };
}

function nonEmptyText(value: Json | undefined): string | undefined {
  return asString(value) || undefined;
}

/**
 * Rejects a request for several choices, because IDEs read only one choice.
 * @throws Fault 400 if the request has a value of `n` other than 1
 */
export function rejectMultipleChoices(body: JsonObject, draft: RequestReadContext): void {
  const n = body['n'];
  if (n === undefined || n === null || n === 1) return;
  if (asNumber(n) === undefined) throw createInvalidFieldFault('`n` must be 1.', 'n');
  draft.requireFeature('choices', 'n');
}
