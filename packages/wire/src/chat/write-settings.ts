import type { JsonObject } from '@floe/contract/json';
import {
  reportUnusedReasoning,
  resolveReasoningEffort,
  resolveRequestedThinkingBudget,
} from '../adapt-reasoning-for-target.ts';
import { adaptToolsForTarget, toFunctionDefinition } from '../adapt-request-for-target.ts';
import type { RequestWriteOptions } from '../dialect.ts';
import type { CanonicalRequest, ResponseFormat, ToolChoice, ToolDefinition } from '../request.ts';
import { toProviderToolName } from '../tool-identifiers.ts';

/** Writes the members `tools`, `tool_choice` and `parallel_tool_calls` of a Chat request. */
export function writeChatTools(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): JsonObject {
  const { tools, choice } = adaptToolsForTarget(request, options, dropped, false);
  if (tools.length === 0) return {};
  return {
    tools: tools.map((tool) => writeTool(tool, options, dropped)),
    tool_choice: writeChoice(choice, tools, options),
    parallel_tool_calls: request.parallelTools,
  };
}

function writeTool(tool: ToolDefinition, options: RequestWriteOptions, dropped: Set<string>): JsonObject {
  const name = toProviderToolName(tool.name);
  if (tool.kind === 'function') {
    const { description, schema: parameters } = tool;
    const strict = options.tools?.includes('no-strict') ? undefined : tool.strict;
    if (tool.strict === true && strict === undefined) dropped.add('tools.strict');
    return { type: 'function', function: { name, description, parameters, strict } };
  }
  if (options.tools?.includes('freeform'))
    return {
      type: 'custom',
      custom: {
        name,
        description: tool.description,
        format: tool.grammar ? { type: 'grammar', grammar: { ...tool.grammar } } : undefined,
      },
    };
  const { description, schema } = toFunctionDefinition(tool);
  return { type: 'function', function: { name, description, parameters: schema } };
}

function writeChoice(
  choice: ToolChoice | undefined,
  tools: readonly ToolDefinition[],
  options: RequestWriteOptions,
): string | JsonObject | undefined {
  if (choice === undefined) return undefined;
  if (choice.mode !== 'named') return choice.mode;
  const name = toProviderToolName(choice.name);
  const freeform = tools.some((tool) => tool.name === choice.name && tool.kind === 'freeform');
  if (freeform && options.tools?.includes('freeform')) return { type: 'custom', custom: { name } };
  return { type: 'function', function: { name } };
}

/** Writes the member `response_format` of a Chat request. */
export function writeChatResponseFormat(format: ResponseFormat | undefined): JsonObject | undefined {
  if (format === undefined) return undefined;
  if (format.type === 'json') return { type: 'json_object' };
  return {
    type: 'json_schema',
    json_schema: {
      name: format.name ?? 'answer',
      description: format.description,
      schema: format.schema,
      strict: format.strict,
    },
  };
}

/** The setting that each style can contain. `reasoning-object` can contain an effort or a budget, but not both. */
const REASONING_FORMS = {
  effort: 'effort',
  'reasoning-object': 'budget',
  budget: 'budget',
  'enable-flag': 'budget',
  adaptive: 'switch',
  switch: 'switch',
  level: 'effort',
} as const;

/** Writes the reasoning settings in the form that the provider expects. */
export function writeChatReasoning(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): JsonObject {
  if (request.reasoning === undefined) return {};
  const effort = resolveReasoningEffort(request, options, dropped);
  const budget = resolveRequestedThinkingBudget(request);
  const off = effort === 'none';
  const style = options.reasoningStyle ?? 'effort';
  if (style !== 'none') reportUnusedReasoning(request, REASONING_FORMS[style], dropped);
  switch (style) {
    case 'effort':
      return { reasoning_effort: effort };
    case 'reasoning-object':
      if (request.reasoning.budget !== undefined) return { reasoning: { max_tokens: budget } };
      if (effort === undefined && request.reasoning.adaptive) return { reasoning: { enabled: true } };
      return { reasoning: { effort } };
    case 'budget':
      return { thinking: off ? { type: 'disabled' } : { type: 'enabled', budget_tokens: budget } };
    case 'adaptive':
      return { thinking: { type: off ? 'disabled' : 'adaptive' } };
    case 'switch':
      return { thinking: { type: off ? 'disabled' : 'enabled' } };
    case 'enable-flag':
      return { enable_thinking: !off, thinking_budget: off ? undefined : budget };
    default:
      dropped.add('reasoning');
      return {};
  }
}
