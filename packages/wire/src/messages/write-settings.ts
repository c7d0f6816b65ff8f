import type { JsonObject } from '@floe/contract/json';
import type { UpstreamOptions } from '../dialect.ts';
import type { Ask, CacheMark, Format, Tool } from '../request.ts';
import { wireName } from '../tool-names.ts';
import { budgetFor, effortFor, freeformSchema, planTools } from '../write-plan.ts';
import { schemaSubset } from './schema-subset.ts';

const MIN_BUDGET = 1_024;

/** `tools` and `tool_choice` of a Messages request. */
export function toolsOf(ask: Ask, options: UpstreamOptions, dropped: Set<string>): JsonObject {
  const { tools, choice } = planTools(ask, options, dropped, false);
  if (tools.length === 0) return toolsOfHistory(ask);
  const single = ask.parallelTools === false && choice?.mode !== 'none' ? true : undefined;
  let tool_choice: JsonObject | undefined;
  if (choice?.mode === 'named')
    tool_choice = { type: 'tool', name: wireName(choice.name), disable_parallel_tool_use: single };
  else if (choice?.mode === 'none') tool_choice = { type: 'none' };
  else if (choice || single)
    tool_choice = { type: choice?.mode === 'required' ? 'any' : 'auto', disable_parallel_tool_use: single };
  return { tools: tools.map((tool) => writeTool(tool, options, dropped)), tool_choice };
}

/** A history with calls must come with tools: those it names, none of them to be called. */
function toolsOfHistory(ask: Ask): JsonObject {
  const called = ask.turns.flatMap((turn) =>
    turn.parts.flatMap((part) => (part.type === 'call' ? wireName(part.name) : [])),
  );
  if (called.length === 0) return {};
  const tools = [...new Set(called)].map((name) => ({ name, input_schema: { type: 'object' } }));
  return { tools, tool_choice: { type: 'none' } };
}

/** A cache mark as `cache_control`. */
export function mark(cache: CacheMark | undefined): JsonObject | undefined {
  if (cache === undefined) return undefined;
  return cache === '' ? { type: 'ephemeral' } : { type: 'ephemeral', ttl: cache };
}

/** Strictness needs a model and a schema that allow it: it goes only where the sheet says so. */
function writeTool(tool: Tool, options: UpstreamOptions, dropped: Set<string>): JsonObject {
  const name = wireName(tool.name);
  if (tool.kind === 'freeform') {
    const { description, schema } = freeformSchema(tool);
    return { name, description, input_schema: schema, cache_control: mark(tool.cache) };
  }
  const strict = tool.strict === true && options.tools?.includes('strict') ? true : undefined;
  if (tool.strict === true && !strict) dropped.add('tools.strict');
  const schema: JsonObject =
    tool.schema['type'] === 'object' ? tool.schema : { ...tool.schema, type: 'object' };
  return {
    name,
    description: tool.description,
    input_schema: strict ? schemaSubset(schema, (keyword) => dropped.add(`schema.${keyword}`)) : schema,
    strict,
    cache_control: mark(tool.cache),
  };
}

export function formatOf(format: Format | undefined, dropped: Set<string>): JsonObject | undefined {
  if (format?.type !== 'schema') return undefined;
  const schema = schemaSubset(format.schema, (keyword) => dropped.add(`schema.${keyword}`));
  return { type: 'json_schema', schema };
}

export interface Thinking {
  readonly thinking?: JsonObject | undefined;
  readonly effort?: string | undefined;
  /** The limit raised so that the budget fits below it, when the caller set none. */
  readonly maxTokens?: number | undefined;
}

/** How reasoning is asked for; left out, and reported, where the request makes it impossible. */
export function thinkingOf(ask: Ask, options: UpstreamOptions, dropped: Set<string>): Thinking {
  if (ask.reasoning === undefined) return {};
  const effort = effortFor(ask, options, dropped);
  const style = options.think ?? 'budget';
  if (style === 'none') {
    dropped.add('reasoning');
    return {};
  }
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  if (style === 'adaptive' || style === 'effort')
    return {
      thinking: style === 'adaptive' ? { type: 'adaptive', display: 'summarized' } : undefined,
      effort: effort === 'minimal' ? 'low' : effort,
    };
  const forced = ask.toolChoice?.mode === 'required' || ask.toolChoice?.mode === 'named';
  const wanted = Math.max(budgetFor(ask) ?? MIN_BUDGET, MIN_BUDGET);
  const budget = ask.maxTokens === undefined ? wanted : Math.min(wanted, ask.maxTokens - 1);
  if (forced || budget < MIN_BUDGET || toolLoopWithoutProof(ask, options)) {
    dropped.add('reasoning');
    return {};
  }
  return {
    thinking: { type: 'enabled', budget_tokens: budget },
    maxTokens: ask.maxTokens === undefined ? budget + (options.defaultMaxTokens ?? 4_096) : undefined,
  };
}

/** Inside a tool loop the last assistant turn must bring its own signed thinking back. */
function toolLoopWithoutProof(ask: Ask, options: UpstreamOptions): boolean {
  if (ask.turns.at(-1)?.parts.some((part) => part.type === 'result') !== true) return false;
  const last = ask.turns.findLast((turn) => turn.role === 'assistant');
  if (!last?.parts.some((part) => part.type === 'call')) return false;
  return (
    options.sealOrigin === false ||
    !last.parts.some((part) => part.type === 'reasoning' && part.seal?.dialect === 'messages')
  );
}
