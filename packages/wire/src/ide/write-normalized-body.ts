import type { Json, JsonObject } from '@floe/contract/json';
import { writeChatResponseFormat } from '../chat/write-settings.ts';
import { formatDataUrl } from '../read-media.ts';
import type {
  CacheBreakpoint,
  CanonicalRequest,
  ContentPart,
  ConversationTurn,
  MediaPart,
  ReasoningSettings,
  TextPart,
  ToolCallPart,
  ToolChoice,
  ToolDefinition,
  ToolResultPart,
} from '../request.ts';

/**
 * Writes a request as a Chat body without losing information. Chat has no fields for some features, such as cache
 * breakpoints, failed tool results and files by URL. For these features, the body contains fields of other
 * dialects. The Chat reader accepts these fields.
 */
export function writeNormalizedBody(request: CanonicalRequest): JsonObject {
  const { sampling, tools } = request;
  return withoutUndefined({
    model: request.model,
    messages: [
      ...(request.system.length > 0 ? [{ role: 'system', content: writeContent(request.system) }] : []),
      ...request.turns.flatMap(writeTurn),
    ],
    tools: tools.length > 0 ? tools.map(writeTool) : undefined,
    tool_choice: writeChoice(request.toolChoice, tools),
    parallel_tool_calls: request.parallelTools,
    response_format: writeChatResponseFormat(request.format),
    verbosity: request.verbosity,
    max_completion_tokens: request.maxTokens,
    stop: request.stop.length > 0 ? request.stop : undefined,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    seed: sampling.seed,
    ...writeReasoning(request.reasoning),
    user: request.user,
    metadata: request.metadata,
    prompt_cache_key: request.cacheKey,
    service_tier: request.serviceTier,
    stream: request.stream,
    stream_options: request.streamUsage ? { include_usage: true } : undefined,
  });
}

/** Removes empty members, so that equal requests have equal bodies. */
function withoutUndefined(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

function writeReasoning(reasoning: ReasoningSettings | undefined): Record<string, Json | undefined> {
  const { effort, budget, adaptive } = reasoning ?? {};
  let thinking: Json | undefined;
  if (budget !== undefined || adaptive)
    thinking = withoutUndefined({ type: adaptive ? 'adaptive' : 'enabled', budget_tokens: budget });
  return { reasoning_effort: effort, thinking };
}

function writeTurn(turn: ConversationTurn): JsonObject[] {
  if (turn.role === 'assistant') return [writeAssistant(turn.parts)];
  const results = turn.parts.filter((part) => part.type === 'result');
  if (results.length > 0) return results.map(writeResult);
  return [{ role: turn.role, content: writeContent(turn.parts) }];
}

function writeAssistant(parts: readonly ContentPart[]): JsonObject {
  const calls = parts.filter((part) => part.type === 'call');
  const content = parts.filter((part) => part.type !== 'call');
  return withoutUndefined({
    role: 'assistant',
    content: content.length === 0 ? null : writeContent(content),
    tool_calls: calls.length > 0 ? calls.map(writeCall) : undefined,
  });
}

function writeCall({ id, name, input, freeform, cache }: ToolCallPart): JsonObject {
  const cache_control = writeCacheControl(cache);
  if (freeform) return withoutUndefined({ id, type: 'custom', custom: { name, input }, cache_control });
  return withoutUndefined({ id, type: 'function', function: { name, arguments: input }, cache_control });
}

function writeResult({ id, parts, isError, cache }: ToolResultPart): JsonObject {
  return withoutUndefined({
    role: 'tool',
    tool_call_id: id,
    content: parts.length === 0 ? '' : writeContent(parts),
    is_error: isError ? true : undefined,
    cache_control: writeCacheControl(cache),
  });
}

/** A single text is written as a string, as clients do. Anything else is a list of parts. */
function writeContent(parts: readonly ContentPart[]): Json {
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'text' && only.cache === undefined && only.document === undefined)
    return only.text;
  return parts.flatMap((part) => {
    switch (part.type) {
      case 'text':
        return [writeText(part)];
      case 'refusal':
        return [{ type: 'refusal', refusal: part.text }];
      case 'media':
        return [writeMedia(part)];
      default:
        return [];
    }
  });
}

function writeText({ text, cache, document }: TextPart): JsonObject {
  const cache_control = writeCacheControl(cache);
  if (document === undefined) return withoutUndefined({ type: 'text', text, cache_control });
  const { title } = document;
  const source = { type: 'text', media_type: 'text/plain', data: text };
  return withoutUndefined({
    type: 'document',
    source,
    title,
    ...writeDocumentMetadata(document),
    cache_control,
  });
}

function writeDocumentMetadata(document: MediaPart['document']): Record<string, Json | undefined> {
  return { context: document?.context, citations: document?.citations && { enabled: true } };
}

function writeMedia(part: MediaPart): JsonObject {
  const { source, kind, detail, name } = part;
  const cache_control = writeCacheControl(part.cache);
  if (kind === 'audio' && 'data' in source)
    return {
      type: 'input_audio',
      input_audio: { data: source.data, format: source.mime.replace(/^.*\//, '') },
    };
  const url = 'data' in source ? formatDataUrl(source) : 'url' in source ? source.url : '';
  if (kind === 'image')
    return withoutUndefined({
      type: 'image_url',
      image_url: withoutUndefined({ url, detail }),
      cache_control,
    });
  const member = 'data' in source ? 'file_data' : 'file_url';
  const file = withoutUndefined({ [member]: url, filename: name });
  return withoutUndefined({ type: 'file', file, ...writeDocumentMetadata(part.document), cache_control });
}

function writeCacheControl(cache: CacheBreakpoint | undefined): JsonObject | undefined {
  if (cache === undefined) return undefined;
  return cache === '' ? { type: 'ephemeral' } : { type: 'ephemeral', ttl: cache };
}

function writeTool(tool: ToolDefinition): JsonObject {
  const { name, description } = tool;
  if (tool.kind === 'freeform') {
    const format = tool.grammar ? { type: 'grammar', grammar: { ...tool.grammar } } : undefined;
    return { type: 'custom', custom: withoutUndefined({ name, description, format }) };
  }
  const { schema: parameters, strict, cache } = tool;
  return withoutUndefined({
    type: 'function',
    function: withoutUndefined({ name, description, parameters, strict }),
    cache_control: writeCacheControl(cache),
  });
}

function writeChoice(choice: ToolChoice | undefined, tools: readonly ToolDefinition[]): Json | undefined {
  if (choice === undefined) return undefined;
  const freeform = new Set(tools.flatMap((tool) => (tool.kind === 'freeform' ? [tool.name] : [])));
  const reference = (name: string): JsonObject =>
    freeform.has(name) ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } };
  if (choice.mode === 'named') return reference(choice.name);
  if (choice.allowed === undefined) return choice.mode;
  return {
    type: 'allowed_tools',
    allowed_tools: { mode: choice.mode, tools: choice.allowed.map(reference) },
  };
}
