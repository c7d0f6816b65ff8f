import type { JsonObject } from '@floe/contract/json';
import type { UpstreamOptions } from '../dialect.ts';
import type { Ask, CacheMark, Format, Tool, ToolChoice } from '../request.ts';
import { wireName } from '../tool-names.ts';
import { budgetFor, effortFor, freeformSchema, planTools } from '../write-plan.ts';

const MIN_BUDGET = 1_024;
/** Added to a thinking budget where the caller gave no limit. */
const ANSWER_TOKENS = 4_096;

/**
 * `toolConfig` of a Converse request. There is no word for "call none": the tools go, unless the history holds
 * calls, which must not come without tools.
 */
export function toolConfigOf(
  ask: Ask,
  options: UpstreamOptions,
  dropped: Set<string>,
): JsonObject | undefined {
  const { tools, choice } = planTools(ask, options, dropped, false);
  const called = calledNames(ask);
  if (tools.length === 0 || choice?.mode === 'none') {
    if (called.length === 0) return undefined;
    if (choice?.mode === 'none') dropped.add('tool_choice');
    if (tools.length === 0) return { tools: called.map(bareTool) };
  }
  return {
    tools: tools.flatMap((tool) => writeTool(tool, options, dropped)),
    toolChoice: choiceOf(choice),
  };
}

function calledNames(ask: Ask): readonly string[] {
  const parts = ask.turns.flatMap((turn) => turn.parts);
  return [...new Set(parts.flatMap((part) => (part.type === 'call' ? wireName(part.name) : [])))];
}

function bareTool(name: string): JsonObject {
  return { toolSpec: { name, inputSchema: { json: { type: 'object' } } } };
}

function choiceOf(choice: ToolChoice | undefined): JsonObject | undefined {
  switch (choice?.mode) {
    case 'named':
      return { tool: { name: wireName(choice.name) } };
    case 'required':
      return { any: {} };
    case 'auto':
      return { auto: {} };
    default:
      return undefined;
  }
}

function writeTool(tool: Tool, options: UpstreamOptions, dropped: Set<string>): JsonObject[] {
  const name = wireName(tool.name);
  if (tool.kind === 'freeform') {
    const { description, schema } = freeformSchema(tool);
    const toolSpec = { name, description: description || undefined, inputSchema: { json: schema } };
    return [{ toolSpec }, ...cachePointOf(tool.cache, options)];
  }
  const strict = tool.strict === true && options.tools?.includes('strict') ? true : undefined;
  if (tool.strict === true && !strict) dropped.add('tools.strict');
  const json: JsonObject =
    tool.schema['type'] === 'object' ? tool.schema : { ...tool.schema, type: 'object' };
  const toolSpec = { name, description: tool.description || undefined, inputSchema: { json }, strict };
  return [{ toolSpec }, ...cachePointOf(tool.cache, options)];
}

/** A cache mark is a member of its own, behind what it marks. */
export function cachePointOf(cache: CacheMark | undefined, options: UpstreamOptions): JsonObject[] {
  if (cache === undefined || !options.hints?.includes('cache-mark')) return [];
  return [{ cachePoint: { type: 'default', ttl: cache === '' ? undefined : cache } }];
}

/** The answer's format; the schema travels as text. */
export function formatOf(format: Format | undefined): JsonObject | undefined {
  if (format?.type !== 'schema') return undefined;
  const { name, description, schema } = format;
  const jsonSchema = { name, description, schema: JSON.stringify(schema) };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}

export interface Extras {
  /** `additionalModelRequestFields`: each family of models knows its own, and refuses the others'. */
  readonly extras: JsonObject | undefined;
  /** The limit raised so that the budget fits below it, when the caller set none. */
  readonly maxTokens?: number;
}

export function extrasOf(ask: Ask, options: UpstreamOptions, dropped: Set<string>): Extras {
  const { topK } = ask.sampling;
  const takesTopK = options.think === 'budget' || options.think === 'adaptive';
  if (topK !== undefined && !takesTopK) dropped.add('top_k');
  const { fields, maxTokens } = thinkingOf(ask, options, dropped);
  const isThinking = fields['thinking'] !== undefined;
  if (topK !== undefined && takesTopK && isThinking) dropped.add('top_k');
  const all: JsonObject = {
    ...fields,
    ...(takesTopK && !isThinking && topK !== undefined && { top_k: topK }),
  };
  const extras = Object.keys(all).length > 0 ? all : undefined;
  return maxTokens === undefined ? { extras } : { extras, maxTokens };
}

function thinkingOf(
  ask: Ask,
  options: UpstreamOptions,
  dropped: Set<string>,
): { readonly fields: JsonObject; readonly maxTokens?: number } {
  if (ask.reasoning === undefined) return { fields: {} };
  const effort = effortFor(ask, options, dropped);
  switch (options.think ?? 'none') {
    case 'effort':
      return { fields: effort === undefined ? {} : { reasoning_effort: effort } };
    case 'adaptive': {
      if (effort === 'none') return { fields: {} };
      const output_config =
        effort === undefined ? undefined : { effort: effort === 'minimal' ? 'low' : effort };
      return { fields: { thinking: { type: 'adaptive' }, output_config } };
    }
    case 'budget': {
      if (effort === 'none') return { fields: {} };
      const forced = ask.toolChoice?.mode === 'required' || ask.toolChoice?.mode === 'named';
      const wanted = Math.max(budgetFor(ask) ?? MIN_BUDGET, MIN_BUDGET);
      const budget_tokens = ask.maxTokens === undefined ? wanted : Math.min(wanted, ask.maxTokens - 1);
      if (forced || budget_tokens < MIN_BUDGET) break;
      const fields = { thinking: { type: 'enabled', budget_tokens } };
      return ask.maxTokens === undefined ? { fields, maxTokens: budget_tokens + ANSWER_TOKENS } : { fields };
    }
    default:
  }
  dropped.add('reasoning');
  return { fields: {} };
}
