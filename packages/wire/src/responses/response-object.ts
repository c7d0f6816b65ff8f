import type { Json, JsonObject } from '@floe/contract/json';
import type { ResponseWriteContext } from '../dialect.ts';
import type { FinishReason } from '../finish-reason.ts';
import { isJsonObject, isNonEmpty } from '../json-narrowing.ts';
import type { CanonicalRequest, ToolDefinition } from '../request.ts';
import type { Usage } from '../usage.ts';
import { writeResponsesUsage } from './usage.ts';

/**
 * The reason for an incomplete response in the Responses dialect, by finish reason. The dialect has only two
 * such reasons.
 */
export const INCOMPLETE_REASONS: Readonly<Partial<Record<FinishReason, string>>> = {
  length: 'max_output_tokens',
  other: 'max_output_tokens',
  refusal: 'content_filter',
};

/** The service tiers that a response object can have, by the name that Floe uses for prices. */
const RESPONSE_TIERS: ReadonlyMap<string | undefined, string> = new Map([
  ['standard', 'default'],
  ...['flex', 'priority', 'scale'].map((tier) => [tier, tier] as const),
]);

/** The properties of a response that are known only at its end. */
export interface FinalResponseFields {
  readonly output: readonly JsonObject[];
  readonly usage: Usage | undefined;
  readonly nowS: number;
}

/** Returns the final response object. `cut` is the reason why the response is incomplete. */
export function finishResponseObject(
  started: JsonObject,
  cut: string | undefined,
  end: FinalResponseFields,
): JsonObject {
  return {
    ...started,
    status: cut === undefined ? 'completed' : 'incomplete',
    completed_at: cut === undefined ? end.nowS : null,
    incomplete_details: cut === undefined ? null : { reason: cut },
    output: end.output,
    service_tier: RESPONSE_TIERS.get(end.usage?.tier) ?? started['service_tier'],
    usage: writeResponsesUsage(end.usage),
  };
}

/**
 * Returns a new response object. It has every member that the SDKs and the Open Responses schema require,
 * with the caller's settings or the documented defaults.
 */
export function createResponseObject(context: ResponseWriteContext): JsonObject {
  const { request, clientBody = {} } = context;
  return {
    id: `resp_${context.id}`,
    object: 'response',
    created_at: context.createdS,
    completed_at: null,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: typeof clientBody['instructions'] === 'string' ? clientBody['instructions'] : null,
    max_output_tokens: request.maxTokens ?? null,
    max_tool_calls: null,
    model: request.model,
    output: [],
    parallel_tool_calls: request.parallelTools ?? true,
    previous_response_id: isNonEmpty(clientBody['previous_response_id'])
      ? clientBody['previous_response_id']
      : null,
    prompt_cache_key: request.cacheKey ?? null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    safety_identifier: request.user ?? null,
    service_tier: request.serviceTier ?? 'default',
    store: context.isStored ?? clientBody['store'] !== false,
    temperature: request.sampling.temperature ?? 1,
    presence_penalty: request.sampling.presencePenalty ?? 0,
    frequency_penalty: request.sampling.frequencyPenalty ?? 0,
    text: { format: writeFormat(request), verbosity: request.verbosity ?? 'medium' },
    tool_choice: writeToolChoice(request),
    tools: writeDeclaredTools(request.tools),
    top_logprobs: 0,
    top_p: request.sampling.topP ?? 1,
    truncation: clientBody['truncation'] === 'auto' ? 'auto' : 'disabled',
    usage: null,
    user: null,
    metadata: isJsonObject(clientBody['metadata']) ? clientBody['metadata'] : {},
  };
}

function writeFormat(request: CanonicalRequest): JsonObject {
  const { format } = request;
  if (format === undefined) return { type: 'text' };
  if (format.type === 'json') return { type: 'json_object' };
  return {
    type: 'json_schema',
    name: format.name ?? 'answer',
    description: format.description ?? null,
    schema: format.schema,
    strict: format.strict ?? false,
  };
}

function writeToolChoice(request: CanonicalRequest): Json {
  const choice = request.toolChoice;
  if (choice === undefined) return 'auto';
  const reference = (name: string): JsonObject => ({ type: toolType(name, request.tools), name });
  if (choice.mode === 'named') return reference(choice.name);
  return choice.allowed
    ? { type: 'allowed_tools', mode: choice.mode, tools: choice.allowed.map(reference) }
    : choice.mode;
}

function toolType(name: string, tools: readonly ToolDefinition[]): string {
  return tools.some((tool) => tool.name === name && tool.kind === 'freeform') ? 'custom' : 'function';
}

/**
 * Writes tools as the client declared them. Tools of a namespace are grouped at the position of the first
 * one.
 */
function writeDeclaredTools(tools: readonly ToolDefinition[]): JsonObject[] {
  const namespaces = new Map<string, JsonObject[]>();
  return tools.flatMap((tool) => {
    const { within } = tool;
    if (within === undefined) return [writeDeclaredTool(tool)];
    const member = { ...writeDeclaredTool(tool), name: within.name };
    const known = namespaces.get(within.namespace);
    if (known) {
      known.push(member);
      return [];
    }
    const members = [member];
    namespaces.set(within.namespace, members);
    return [{ type: 'namespace', name: within.namespace, tools: members }];
  });
}

function writeDeclaredTool(tool: ToolDefinition): JsonObject {
  const description = tool.description ?? null;
  if (tool.kind === 'function')
    return {
      type: 'function',
      name: tool.name,
      description,
      parameters: tool.schema,
      strict: tool.strict ?? false,
    };
  const format = tool.grammar ? { type: 'grammar', ...tool.grammar } : { type: 'text' };
  return { type: 'custom', name: tool.name, description: tool.description, format };
}
