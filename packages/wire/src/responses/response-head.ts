import type { Json, JsonObject } from '@floe/contract/json';
import type { AnswerContext } from '../dialect.ts';
import { isObject, says } from '../json-read.ts';
import type { Ask, Tool } from '../request.ts';

/**
 * A response object as it begins: every member the SDKs and the Open Responses schema demand, the
 * caller's settings repeated and the rest at their documented defaults.
 */
export function responseHead(context: AnswerContext): JsonObject {
  const { ask, request = {} } = context;
  return {
    id: `resp_${context.id}`,
    object: 'response',
    created_at: context.createdS,
    completed_at: null,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: typeof request['instructions'] === 'string' ? request['instructions'] : null,
    max_output_tokens: ask.maxTokens ?? null,
    max_tool_calls: null,
    model: ask.model,
    output: [],
    parallel_tool_calls: ask.parallelTools ?? true,
    previous_response_id: says(request['previous_response_id']) ? request['previous_response_id'] : null,
    prompt_cache_key: ask.cacheKey ?? null,
    reasoning: { effort: ask.reasoning?.effort ?? null, summary: ask.reasoning?.summary ?? null },
    safety_identifier: ask.user ?? null,
    service_tier: ask.serviceTier ?? 'default',
    store: context.stored ?? request['store'] !== false,
    temperature: ask.sampling.temperature ?? 1,
    presence_penalty: ask.sampling.presencePenalty ?? 0,
    frequency_penalty: ask.sampling.frequencyPenalty ?? 0,
    text: { format: formatOf(ask), verbosity: ask.verbosity ?? 'medium' },
    tool_choice: choiceOf(ask),
    tools: toolsOf(ask.tools),
    top_logprobs: 0,
    top_p: ask.sampling.topP ?? 1,
    truncation: request['truncation'] === 'auto' ? 'auto' : 'disabled',
    usage: null,
    user: null,
    metadata: isObject(request['metadata']) ? request['metadata'] : {},
  };
}

function formatOf(ask: Ask): JsonObject {
  const { format } = ask;
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

function choiceOf(ask: Ask): Json {
  const choice = ask.toolChoice;
  if (choice === undefined) return 'auto';
  const reference = (name: string): JsonObject => ({ type: typeOf(name, ask.tools), name });
  if (choice.mode === 'named') return reference(choice.name);
  return choice.allowed
    ? { type: 'allowed_tools', mode: choice.mode, tools: choice.allowed.map(reference) }
    : choice.mode;
}

function typeOf(name: string, tools: readonly Tool[]): string {
  return tools.some((tool) => tool.name === name && tool.kind === 'freeform') ? 'custom' : 'function';
}

/** Tools as the client declared them: those of a namespace stand in it again, where its first one stood. */
function toolsOf(tools: readonly Tool[]): JsonObject[] {
  const namespaces = new Map<string, JsonObject[]>();
  return tools.flatMap((tool) => {
    const within = tool.kind === 'function' ? tool.within : undefined;
    if (within === undefined) return [toolOf(tool)];
    const member = { ...toolOf(tool), name: within.name };
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

function toolOf(tool: Tool): JsonObject {
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
