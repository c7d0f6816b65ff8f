import { ExactNumber, type Json, type JsonObject } from '@floe/contract/json';
import type { RequestHint, RequestWriteOptions } from './dialect.ts';
import { isJsonArray } from './json-narrowing.ts';
import type {
  CanonicalRequest,
  ConversationTurn,
  FreeformTool,
  ReasoningPart,
  TextPart,
  ToolChoice,
  ToolDefinition,
  ToolResultPart,
} from './request.ts';
import type { DialectName } from './response-events.ts';
import { isSealAccepted } from './seal.ts';

/** The result of `adaptToolsForTarget`. */
export interface TargetToolSettings {
  readonly tools: readonly ToolDefinition[];
  readonly choice: ToolChoice | undefined;
}

/** Returns the tools and the tool choice in a form that the provider accepts. */
export function adaptToolsForTarget(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
  allowList: boolean,
): TargetToolSettings {
  const rules = options.tools ?? [];
  let { tools } = request;
  let choice = request.toolChoice;
  if (choice?.mode === 'none' && rules.includes('none-drops-tools')) return { tools: [], choice: undefined };
  if (choice !== undefined && choice.mode !== 'named' && choice.allowed && !allowList) {
    const { allowed } = choice;
    tools = tools.filter((tool) => allowed.includes(tool.name));
    choice = { mode: choice.mode };
  }
  if (choice?.mode === 'named' && rules.includes('named-filters')) {
    const { name } = choice;
    tools = tools.filter((tool) => tool.name === name);
    choice = { mode: 'required' };
  }
  if ((choice?.mode === 'required' || choice?.mode === 'named') && rules.includes('required-is-auto')) {
    choice = { mode: 'auto' };
    dropped.add('tool_choice');
  }
  return { tools, choice: tools.length === 0 ? undefined : choice };
}

/** Converts a freeform tool to a function whose only parameter, `input`, is the raw text. */
export function toFunctionDefinition(tool: FreeformTool): {
  readonly description: string;
  readonly schema: JsonObject;
} {
  const grammar = tool.grammar
    ? `\n\nThe input must match this ${tool.grammar.syntax} grammar:\n${tool.grammar.definition}`
    : '';
  return {
    description: `${tool.description ?? ''}${grammar}`.trim(),
    schema: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The raw input text of the tool.' } },
      required: ['input'],
    },
  };
}

/** Returns the value of a seal if this provider accepts it. Otherwise reports the seal as dropped. */
export function resolveSealValue(
  part: ReasoningPart,
  dialect: DialectName,
  options: RequestWriteOptions,
  dropped: Set<string>,
): string | undefined {
  const { seal } = part;
  if (seal === undefined) return undefined;
  if (options.sealOrigin !== false && isSealAccepted(seal, dialect, options.sealOrigin)) return seal.value;
  dropped.add('reasoning.seal');
  return undefined;
}

/** Converts a system prompt without turns to a user turn, for dialects that require a turn. */
export function ensureNonEmptyConversation(request: CanonicalRequest): CanonicalRequest {
  if (request.turns.length > 0) return request;
  return { ...request, system: [], turns: [{ role: 'user', parts: request.system }] };
}

/** Converts a system turn to a user turn in `<system-reminder>` tags, for targets that reject system turns. */
export function toReminderTurn(turn: ConversationTurn): ConversationTurn {
  const texts = turn.parts.filter((part) => part.type === 'text');
  const text = `<system-reminder>\n${joinSystemText(texts)}\n</system-reminder>`;
  const cache = texts.findLast((part) => part.cache !== undefined)?.cache;
  return { role: 'user', parts: [{ type: 'text', text, cache }] };
}

/** Joins the text parts of a system prompt. */
export function joinSystemText(parts: readonly TextPart[]): string {
  return parts.map((part) => part.text).join('\n\n');
}

/** Joins the text parts of a tool result into one string, without separators. */
export function joinToolResultText({ parts }: ToolResultPart): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Reports the members of the response format, such as its description, that the target does not support. */
export function reportUnsupportedFormatFields(
  { format }: CanonicalRequest,
  lacks: readonly ('description' | 'strict')[],
  dropped: Set<string>,
): void {
  if (format?.type !== 'schema') return;
  for (const member of lacks) if (format[member]) dropped.add(`response_format.${member}`);
}

/**
 * Reports the requested reasoning summary as dropped. `auto` is not reported, because it is every provider's default.
 */
export function reportDroppedReasoningSummary({ reasoning }: CanonicalRequest, dropped: Set<string>): void {
  if (reasoning?.summary !== undefined && reasoning.summary !== 'auto') dropped.add('reasoning.summary');
}

/** Field names under which dropped hints are reported. */
const FIELD_BY_HINT = {
  user: 'user',
  metadata: 'metadata',
  'cache-key': 'prompt_cache_key',
  'service-tier': 'service_tier',
  verbosity: 'verbosity',
  seed: 'seed',
} as const satisfies Partial<Record<RequestHint, string>>;

/** Returns a hint's value if the provider accepts the hint. Otherwise, reports it as dropped. */
export function keepSupportedHint<T>(
  value: T | undefined,
  name: keyof typeof FIELD_BY_HINT,
  options: RequestWriteOptions,
  dropped: Set<string>,
): T | undefined {
  if (value === undefined || options.hints?.includes(name)) return value;
  dropped.add(FIELD_BY_HINT[name]);
  return undefined;
}

/** Returns the target's name for the service tier. Reports a tier that has no name at the target as dropped. */
export function resolveServiceTier(
  request: CanonicalRequest,
  words: Readonly<Record<string, string>>,
  options: RequestWriteOptions,
  dropped: Set<string>,
): string | undefined {
  const tier = keepSupportedHint(request.serviceTier, 'service-tier', options, dropped);
  if (tier === undefined) return undefined;
  if (!Object.hasOwn(words, tier)) dropped.add('service_tier');
  return Object.hasOwn(words, tier) ? words[tier] : undefined;
}

/** The service tiers in the OpenAI dialects. */
export const OPENAI_SERVICE_TIERS: Readonly<Record<string, string>> = {
  auto: 'auto',
  default: 'default',
  standard_only: 'default',
  flex: 'flex',
  scale: 'scale',
  priority: 'priority',
  fast: 'fast',
};

/** Returns the prompt cache key of the caller, or else the generated key. Undefined if the target supports none. */
export function resolvePromptCacheKey(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): string | undefined {
  const given = keepSupportedHint(request.cacheKey, 'cache-key', options, dropped);
  return given ?? (options.hints?.includes('cache-key') ? options.cacheKey : undefined);
}

/** Reports the fields that have a value as dropped. The target's dialect does not support these fields. */
export function reportDroppedFields(fields: Readonly<Record<string, unknown>>, dropped: Set<string>): void {
  for (const [field, value] of Object.entries(fields)) if (value !== undefined) dropped.add(field);
}

/**
 * Applies a provider definition's quirks to an object: removes rejected fields, enforces limits, and replaces values and
 * names.
 */
export function applyQuirks(
  body: JsonObject,
  options: RequestWriteOptions,
  dropped: Set<string>,
): JsonObject {
  const written: Record<string, Json | undefined> = {};
  const { clamps = {}, renames = {}, values = {}, rejectedFields = [] } = options;
  for (const [key, value] of Object.entries(body)) {
    if (value === undefined) continue;
    if (rejectedFields.includes(key)) {
      dropped.add(toSnakeCase(key));
      continue;
    }
    const words = (Object.hasOwn(values, key) && values[key]) || {};
    const word = typeof value === 'string' && Object.hasOwn(words, value) ? (words[value] ?? value) : value;
    const name = (Object.hasOwn(renames, key) && renames[key]) || key;
    written[name] = clampStopSequences(key, clampNumber(key, word, clamps, dropped), options, dropped);
  }
  return written;
}

/** Fields are reported in snake case, which the client dialects use. */
function toSnakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function clampNumber(
  key: string,
  value: Json,
  clamps: NonNullable<RequestWriteOptions['clamps']>,
  dropped: Set<string>,
): Json {
  const range = clamps[key];
  const number = value instanceof ExactNumber ? value.approximate : value;
  if (!range || typeof number !== 'number') return value;
  const inside = Math.min(Math.max(number, range.min ?? -Infinity), range.max ?? Infinity);
  if (inside === number) return value;
  dropped.add(`${toSnakeCase(key)}.clamped`);
  return inside;
}

function clampStopSequences(
  key: string,
  value: Json,
  options: RequestWriteOptions,
  dropped: Set<string>,
): Json {
  const most = options.maxStopSequences;
  if (most === undefined || !/^stop/.test(key) || !isJsonArray(value) || value.length <= most) return value;
  dropped.add(`${toSnakeCase(key)}.clamped`);
  return value.slice(0, most);
}
