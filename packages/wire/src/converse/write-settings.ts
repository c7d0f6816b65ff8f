import type { JsonObject } from '@floe/contract/json';
import {
  reportUnusedReasoning,
  resolveReasoningEffort,
  toClaudeEffort,
} from '../adapt-reasoning-for-target.ts';
import { adaptToolsForTarget, toFunctionDefinition } from '../adapt-request-for-target.ts';
import type { RequestWriteOptions } from '../dialect.ts';
import type {
  CacheBreakpoint,
  CanonicalRequest,
  ResponseFormat,
  ToolChoice,
  ToolDefinition,
} from '../request.ts';
import { resolveThinkingBudget } from '../thinking-budget.ts';
import { toProviderToolName } from '../tool-identifiers.ts';

const MIN_BUDGET = 1_024;
/** Added to a thinking budget if the caller set no limit. */
const ANSWER_TOKENS = 4_096;

/**
 * Writes the member `toolConfig` of a Converse request. The dialect cannot forbid tool calls. If the request
 * forbids them, the tools are therefore omitted, unless the history contains tool calls. In this case, the
 * dialect requires the tools.
 */
export function writeConverseToolConfig(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): JsonObject | undefined {
  const { tools, choice } = adaptToolsForTarget(request, options, dropped, false);
  const called = calledToolNames(request);
  if (tools.length === 0 || choice?.mode === 'none') {
    if (called.length === 0) return undefined;
    if (choice?.mode === 'none') dropped.add('tool_choice');
    if (tools.length === 0) return { tools: called.map(minimalTool) };
  }
  return {
    tools: tools.flatMap((tool) => writeTool(tool, options, dropped)),
    toolChoice: writeToolChoice(choice),
  };
}

function calledToolNames(request: CanonicalRequest): readonly string[] {
  const parts = request.turns.flatMap((turn) => turn.parts);
  return [...new Set(parts.flatMap((part) => (part.type === 'call' ? toProviderToolName(part.name) : [])))];
}

function minimalTool(name: string): JsonObject {
  return { toolSpec: { name, inputSchema: { json: { type: 'object' } } } };
}

function writeToolChoice(choice: ToolChoice | undefined): JsonObject | undefined {
  switch (choice?.mode) {
    case 'named':
      return { tool: { name: toProviderToolName(choice.name) } };
    case 'required':
      return { any: {} };
    case 'auto':
      return { auto: {} };
    default:
      return undefined;
  }
}

function writeTool(tool: ToolDefinition, options: RequestWriteOptions, dropped: Set<string>): JsonObject[] {
  const name = toProviderToolName(tool.name);
  if (tool.kind === 'freeform') {
    const { description, schema } = toFunctionDefinition(tool);
    const toolSpec = { name, description: description || undefined, inputSchema: { json: schema } };
    return [{ toolSpec }, ...writeConverseCachePoint(tool.cache, options)];
  }
  const strict = tool.strict === true && options.tools?.includes('strict') ? true : undefined;
  if (tool.strict === true && !strict) dropped.add('tools.strict');
  const json: JsonObject =
    tool.schema['type'] === 'object' ? tool.schema : { ...tool.schema, type: 'object' };
  const toolSpec = { name, description: tool.description || undefined, inputSchema: { json }, strict };
  return [{ toolSpec }, ...writeConverseCachePoint(tool.cache, options)];
}

/** Writes a cache breakpoint, which is a separate element after the cached content. */
export function writeConverseCachePoint(
  cache: CacheBreakpoint | undefined,
  options: RequestWriteOptions,
): JsonObject[] {
  if (cache === undefined || !options.hints?.includes('cache-mark')) return [];
  return [{ cachePoint: { type: 'default', ttl: cache === '' ? undefined : cache } }];
}

/** Writes the response format. The schema is sent as text. Returns undefined if the format is not a schema. */
export function writeConverseResponseFormat(format: ResponseFormat | undefined): JsonObject | undefined {
  if (format?.type !== 'schema') return undefined;
  const { name, description, schema } = format;
  const jsonSchema = { name, description, schema: JSON.stringify(schema) };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}

/** The fields of a Converse request that depend on the model family, and the token limit that they require. */
export interface ConverseAdditionalModelFields {
  /** `additionalModelRequestFields`. Each model family accepts only its own fields. */
  readonly extras: JsonObject | undefined;
  /** Increased limit that leaves room for the thinking budget, if the caller set none. */
  readonly maxTokens?: number;
}

/** Writes reasoning settings and other fields that depend on the model family. */
export function writeConverseAdditionalModelFields(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): ConverseAdditionalModelFields {
  const { topK } = request.sampling;
  const takesTopK = options.reasoningStyle === 'budget' || options.reasoningStyle === 'adaptive';
  if (topK !== undefined && !takesTopK) dropped.add('top_k');
  const { fields, maxTokens } = writeThinking(request, options, dropped);
  const isThinking = fields['thinking'] !== undefined;
  if (topK !== undefined && takesTopK && isThinking) dropped.add('top_k');
  const all: JsonObject = {
    ...fields,
    ...(takesTopK && !isThinking && topK !== undefined && { top_k: topK }),
  };
  const extras = Object.keys(all).length > 0 ? all : undefined;
  return maxTokens === undefined ? { extras } : { extras, maxTokens };
}

function writeThinking(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): { readonly fields: JsonObject; readonly maxTokens?: number } {
  if (request.reasoning === undefined) return { fields: {} };
  const effort = resolveReasoningEffort(request, options, dropped);
  switch (options.reasoningStyle ?? 'none') {
    case 'effort':
      reportUnusedReasoning(request, 'effort', dropped);
      return { fields: effort === undefined ? {} : { reasoning_effort: effort } };
    case 'adaptive': {
      reportUnusedReasoning(request, 'effort', dropped);
      if (effort === 'none') return { fields: {} };
      const output_config = effort === undefined ? undefined : { effort: toClaudeEffort(effort, dropped) };
      return { fields: { thinking: { type: 'adaptive' }, output_config } };
    }
    case 'budget': {
      if (effort === 'none') return { fields: {} };
      const forced = request.toolChoice?.mode === 'required' || request.toolChoice?.mode === 'named';
      if (forced) break;
      const budget_tokens = resolveThinkingBudget(request, dropped, MIN_BUDGET);
      if (budget_tokens === undefined || budget_tokens < MIN_BUDGET) break;
      reportUnusedReasoning(request, 'budget', dropped);
      const fields = { thinking: { type: 'enabled', budget_tokens } };
      return request.maxTokens === undefined
        ? { fields, maxTokens: budget_tokens + ANSWER_TOKENS }
        : { fields };
    }
    default:
  }
  dropped.add('reasoning');
  return { fields: {} };
}
