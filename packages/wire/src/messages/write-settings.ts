import type { JsonObject } from '@floe/contract/json';
import {
  reportUnusedReasoning,
  resolveReasoningEffort,
  toClaudeEffort,
} from '../adapt-reasoning-for-target.ts';
import { adaptToolsForTarget, toFunctionDefinition } from '../adapt-request-for-target.ts';
import type { RequestWriteOptions } from '../dialect.ts';
import type { CacheBreakpoint, CanonicalRequest, ResponseFormat, ToolDefinition } from '../request.ts';
import { isSealAccepted } from '../seal.ts';
import { resolveThinkingBudget } from '../thinking-budget.ts';
import { toProviderToolName } from '../tool-identifiers.ts';
import { toStructuredOutputSchema } from './structured-output-schema.ts';

const MIN_BUDGET = 1_024;

/** Writes the members `tools` and `tool_choice` of a Messages request. */
export function writeMessagesTools(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): JsonObject {
  const { tools, choice } = adaptToolsForTarget(request, options, dropped, false);
  if (tools.length === 0) return writeToolsFromHistory(request);
  const single = request.parallelTools === false && choice?.mode !== 'none' ? true : undefined;
  let tool_choice: JsonObject | undefined;
  if (choice?.mode === 'named')
    tool_choice = { type: 'tool', name: toProviderToolName(choice.name), disable_parallel_tool_use: single };
  else if (choice?.mode === 'none') tool_choice = { type: 'none' };
  else if (choice || single)
    tool_choice = { type: choice?.mode === 'required' ? 'any' : 'auto', disable_parallel_tool_use: single };
  return { tools: tools.map((tool) => writeTool(tool, options, dropped)), tool_choice };
}

/** A history with calls requires tools. Declares the tools of these calls, and forbids calling them. */
function writeToolsFromHistory(request: CanonicalRequest): JsonObject {
  const called = request.turns.flatMap((turn) =>
    turn.parts.flatMap((part) => (part.type === 'call' ? toProviderToolName(part.name) : [])),
  );
  if (called.length === 0) return {};
  const tools = [...new Set(called)].map((name) => ({ name, input_schema: { type: 'object' } }));
  return { tools, tool_choice: { type: 'none' } };
}

/** Writes a cache breakpoint as `cache_control`. */
export function writeMessagesCacheControl(cache: CacheBreakpoint | undefined): JsonObject | undefined {
  if (cache === undefined) return undefined;
  return cache === '' ? { type: 'ephemeral' } : { type: 'ephemeral', ttl: cache };
}

/**
 * Strict mode requires a model and a schema that support it, so it is set only if the provider definition allows
 * it.
 */
function writeTool(tool: ToolDefinition, options: RequestWriteOptions, dropped: Set<string>): JsonObject {
  const name = toProviderToolName(tool.name);
  if (tool.kind === 'freeform') {
    const { description, schema } = toFunctionDefinition(tool);
    return { name, description, input_schema: schema, cache_control: writeMessagesCacheControl(tool.cache) };
  }
  const strict = tool.strict === true && options.tools?.includes('strict') ? true : undefined;
  if (tool.strict === true && !strict) dropped.add('tools.strict');
  const schema: JsonObject =
    tool.schema['type'] === 'object' ? tool.schema : { ...tool.schema, type: 'object' };
  return {
    name,
    description: tool.description,
    input_schema: strict
      ? toStructuredOutputSchema(schema, (keyword) => dropped.add(`schema.${keyword}`))
      : schema,
    strict,
    cache_control: writeMessagesCacheControl(tool.cache),
  };
}

/** Writes the response format in a Messages request. Returns undefined if the format is not a schema. */
export function writeMessagesResponseFormat(
  format: ResponseFormat | undefined,
  dropped: Set<string>,
): JsonObject | undefined {
  if (format?.type !== 'schema') return undefined;
  const schema = toStructuredOutputSchema(format.schema, (keyword) => dropped.add(`schema.${keyword}`));
  return { type: 'json_schema', schema };
}

/** The thinking settings, and the token limit that they require. */
export interface MessagesThinkingSettings {
  readonly thinking?: JsonObject | undefined;
  readonly effort?: string | undefined;
  /** Increased limit that leaves room for the thinking budget, if the caller set none. */
  readonly maxTokens?: number | undefined;
}

/**
 * Writes the thinking settings of a Messages request. If other parts of the request rule out thinking, the
 * settings are omitted and reported as dropped.
 */
export function writeMessagesThinking(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): MessagesThinkingSettings {
  if (request.reasoning === undefined) return {};
  const effort = resolveReasoningEffort(request, options, dropped);
  const style = options.reasoningStyle ?? 'budget';
  if (style === 'none') {
    dropped.add('reasoning');
    return {};
  }
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  reportUnusedReasoning(request, style === 'adaptive' || style === 'effort' ? 'effort' : 'budget', dropped);
  const forced = request.toolChoice?.mode === 'required' || request.toolChoice?.mode === 'named';
  if (style === 'adaptive' || style === 'effort') {
    const isRuledOut = forced && options.tools?.includes('forced-unthinking') === true;
    if (isRuledOut) dropped.add('reasoning');
    return {
      thinking: style === 'adaptive' && !isRuledOut ? { type: 'adaptive', display: 'summarized' } : undefined,
      effort: toClaudeEffort(effort, dropped),
    };
  }
  const budget =
    forced || isUnsignedToolLoop(request, options)
      ? undefined
      : resolveThinkingBudget(request, dropped, MIN_BUDGET);
  if (budget === undefined || budget < MIN_BUDGET) {
    dropped.add('reasoning');
    return {};
  }
  return {
    thinking: { type: 'enabled', budget_tokens: budget },
    maxTokens: request.maxTokens === undefined ? budget + (options.defaultMaxTokens ?? 4_096) : undefined,
  };
}

/**
 * Within a tool loop, the last assistant turn must contain thinking that the target signed. Text of the user after the
 * results is sent in the same message, so it does not end the loop.
 */
function isUnsignedToolLoop(request: CanonicalRequest, options: RequestWriteOptions): boolean {
  const last = request.turns.findLast((turn) => turn.role === 'assistant');
  if (!last?.parts.some((part) => part.type === 'call')) return false;
  const { sealOrigin } = options;
  return (
    sealOrigin === false ||
    !last.parts.some(
      (part) => part.type === 'reasoning' && part.seal && isSealAccepted(part.seal, 'messages', sealOrigin),
    )
  );
}
