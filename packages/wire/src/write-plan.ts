import { ExactNumber, type Json, type JsonObject } from '@floe/contract/json';
import type { Hint, UpstreamOptions } from './dialect.ts';
import type { DialectName } from './events.ts';
import { isArray } from './json-read.ts';
import type {
  Ask,
  Effort,
  FreeformTool,
  ReasoningPart,
  ResultPart,
  TextPart,
  Tool,
  ToolChoice,
  Turn,
} from './request.ts';
import { sealFits } from './seal.ts';

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 65_536,
};

/** The effort to ask for: the caller's, or one for the caller's budget, moved to what the model lists. */
export function effortFor(ask: Ask, options: UpstreamOptions, dropped: Set<string>): Effort | undefined {
  const wanted = ask.reasoning?.effort ?? effortOfBudget(ask.reasoning?.budget);
  const listed = options.efforts;
  if (wanted === undefined || listed === undefined || listed.length === 0 || listed.includes(wanted))
    return wanted;
  dropped.add('reasoning.effort');
  const rank = EFFORTS.indexOf(wanted);
  return listed.reduce((best, effort) =>
    Math.abs(EFFORTS.indexOf(effort) - rank) < Math.abs(EFFORTS.indexOf(best) - rank) ? effort : best,
  );
}

function effortOfBudget(budget: number | undefined): Effort | undefined {
  if (budget === undefined) return undefined;
  if (budget <= 0) return 'none';
  if (budget <= BUDGETS.low) return 'low';
  return budget <= BUDGETS.medium ? 'medium' : 'high';
}

/** Tokens to think for; 0 switches thinking off, `undefined` when nobody asked. */
export function budgetFor(ask: Ask): number | undefined {
  const { reasoning } = ask;
  if (reasoning?.budget !== undefined) return reasoning.budget;
  if (reasoning?.effort !== undefined) return BUDGETS[reasoning.effort];
  return reasoning?.adaptive ? BUDGETS.medium : undefined;
}

export interface ToolPlan {
  readonly tools: readonly Tool[];
  readonly choice: ToolChoice | undefined;
}

/** Tools and choice as the provider can take them. */
export function planTools(
  ask: Ask,
  options: UpstreamOptions,
  dropped: Set<string>,
  allowList: boolean,
): ToolPlan {
  const rules = options.tools ?? [];
  let { tools } = ask;
  let choice = ask.toolChoice;
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

/** A freeform tool for a provider that knows functions only; its calls come back as `{"input": text}`. */
export function freeformSchema(tool: FreeformTool): {
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

/** The seal's value when this provider may have it back; else the loss is reported. */
export function sealFor(
  part: ReasoningPart,
  dialect: DialectName,
  options: UpstreamOptions,
  dropped: Set<string>,
): string | undefined {
  const { seal } = part;
  if (seal === undefined) return undefined;
  if (options.sealOrigin !== false && sealFits(seal, dialect, options.sealOrigin)) return seal.value;
  dropped.add('reasoning.seal');
  return undefined;
}

/** For dialects whose conversation must not be empty: a prompt of system text alone is what the user says. */
export function withConversation(ask: Ask): Ask {
  if (ask.turns.length > 0) return ask;
  return { ...ask, system: [], turns: [{ role: 'user', parts: ask.system }] };
}

/** A system turn where the dialect or provider has no place for one in the conversation. */
export function asReminder(turn: Turn): Turn {
  const text = turn.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n\n');
  return { role: 'user', parts: [{ type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` }] };
}

export function joinText(parts: readonly TextPart[]): string {
  return parts.map((part) => part.text).join('\n\n');
}

/** What a tool answered, as one text: its parts follow each other as they are. */
export function resultText(part: ResultPart): string {
  let text = '';
  for (const inner of part.parts) if (inner.type === 'text') text += inner.text;
  return text;
}

/** Members of the answer's schema that the target has no word for. */
export function reportFormat(
  { format }: Ask,
  lacks: readonly ('description' | 'strict')[],
  dropped: Set<string>,
): void {
  if (format?.type !== 'schema') return;
  for (const member of lacks) if (format[member]) dropped.add(`response_format.${member}`);
}

/** How much of the reasoning is to be told; `auto` is what providers do unasked. */
export function reportReasoningSummary({ reasoning }: Ask, dropped: Set<string>): void {
  if (reasoning?.summary !== undefined && reasoning.summary !== 'auto') dropped.add('reasoning.summary');
}

/** What a hint is reported as when it is lost. */
const HINT_FIELDS = {
  user: 'user',
  metadata: 'metadata',
  'cache-key': 'prompt_cache_key',
  'service-tier': 'service_tier',
  verbosity: 'verbosity',
  seed: 'seed',
} as const satisfies Partial<Record<Hint, string>>;

/** The value when the provider takes the hint; else the loss is reported. */
export function hint<T>(
  value: T | undefined,
  name: keyof typeof HINT_FIELDS,
  options: UpstreamOptions,
  dropped: Set<string>,
): T | undefined {
  if (value === undefined || options.hints?.includes(name)) return value;
  dropped.add(HINT_FIELDS[name]);
  return undefined;
}

/** The service tier in the target's words, by the client's; one it has no word for is reported. */
export function tierFor(
  ask: Ask,
  words: Readonly<Record<string, string>>,
  options: UpstreamOptions,
  dropped: Set<string>,
): string | undefined {
  const tier = hint(ask.serviceTier, 'service-tier', options, dropped);
  if (tier === undefined) return undefined;
  if (!Object.hasOwn(words, tier)) dropped.add('service_tier');
  return Object.hasOwn(words, tier) ? words[tier] : undefined;
}

/** Of OpenAI's dialects. */
export const OPENAI_TIERS: Readonly<Record<string, string>> = {
  auto: 'auto',
  default: 'default',
  standard_only: 'default',
  flex: 'flex',
  scale: 'scale',
  priority: 'priority',
  fast: 'fast',
};

/** What names the conversation for the provider's cache: the caller's word, else the one made up for it. */
export function cacheKeyFor(ask: Ask, options: UpstreamOptions, dropped: Set<string>): string | undefined {
  const given = hint(ask.cacheKey, 'cache-key', options, dropped);
  return given ?? (options.hints?.includes('cache-key') ? options.cacheKey : undefined);
}

/** Members a dialect has no word for. */
export function dropSaid(fields: Readonly<Record<string, unknown>>, dropped: Set<string>): void {
  for (const [field, value] of Object.entries(fields)) if (value !== undefined) dropped.add(field);
}

/** The sheet's refusals, clamps, values and renames over the members of one object. */
export function applyQuirks(body: JsonObject, options: UpstreamOptions, dropped: Set<string>): JsonObject {
  const written: Record<string, Json | undefined> = {};
  const { clamps = {}, renames = {}, values = {}, refuses = [] } = options;
  for (const [key, value] of Object.entries(body)) {
    if (value === undefined) continue;
    if (refuses.includes(key)) {
      dropped.add(reportedName(key));
      continue;
    }
    const words = (Object.hasOwn(values, key) && values[key]) || {};
    const word = typeof value === 'string' && Object.hasOwn(words, value) ? (words[value] ?? value) : value;
    const name = (Object.hasOwn(renames, key) && renames[key]) || key;
    written[name] = limited(key, clamped(key, word, clamps, dropped), options, dropped);
  }
  return written;
}

/** Members are reported in the spelling the clients' dialects share. */
function reportedName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function clamped(
  key: string,
  value: Json,
  clamps: NonNullable<UpstreamOptions['clamps']>,
  dropped: Set<string>,
): Json {
  const range = clamps[key];
  const number = value instanceof ExactNumber ? value.approximate : value;
  if (!range || typeof number !== 'number') return value;
  const inside = Math.min(Math.max(number, range.min ?? -Infinity), range.max ?? Infinity);
  if (inside === number) return value;
  dropped.add(`${reportedName(key)}.clamped`);
  return inside;
}

function limited(key: string, value: Json, options: UpstreamOptions, dropped: Set<string>): Json {
  const most = options.maxStops;
  if (most === undefined || !/^stop/.test(key) || !isArray(value) || value.length <= most) return value;
  dropped.add(`${reportedName(key)}.clamped`);
  return value.slice(0, most);
}
