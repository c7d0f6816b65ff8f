import type { Json, JsonObject } from '@floe/contract/json';
import { formatOf } from '../chat/write-settings.ts';
import { dataUrl } from '../read-media.ts';
import type {
  Ask,
  CacheMark,
  CallPart,
  MediaPart,
  Part,
  Reasoning,
  ResultPart,
  TextPart,
  Tool,
  ToolChoice,
  Turn,
} from '../request.ts';

/**
 * A request as one Chat body that loses nothing of it: where Chat has no word (cache marks, failed results,
 * files by address), the member is the one our Chat reader knows from another dialect.
 */
export function writeNormalBody(ask: Ask): JsonObject {
  const { sampling, tools } = ask;
  return said({
    model: ask.model,
    messages: [
      ...(ask.system.length > 0 ? [{ role: 'system', content: contentOf(ask.system) }] : []),
      ...ask.turns.flatMap(writeTurn),
    ],
    tools: tools.length > 0 ? tools.map(writeTool) : undefined,
    tool_choice: writeChoice(ask.toolChoice, tools),
    parallel_tool_calls: ask.parallelTools,
    response_format: formatOf(ask.format),
    verbosity: ask.verbosity,
    max_completion_tokens: ask.maxTokens,
    stop: ask.stop.length > 0 ? ask.stop : undefined,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    seed: sampling.seed,
    ...writeReasoning(ask.reasoning),
    user: ask.user,
    metadata: ask.metadata,
    prompt_cache_key: ask.cacheKey,
    service_tier: ask.serviceTier,
    stream: ask.stream,
    stream_options: ask.streamUsage ? { include_usage: true } : undefined,
  });
}

/** Without the members that say nothing, so that equal requests are equal bodies. */
function said(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

function writeReasoning(reasoning: Reasoning | undefined): Record<string, Json | undefined> {
  const { effort, budget, adaptive } = reasoning ?? {};
  let thinking: Json | undefined;
  if (budget !== undefined || adaptive)
    thinking = said({ type: adaptive ? 'adaptive' : 'enabled', budget_tokens: budget });
  return { reasoning_effort: effort, thinking };
}

function writeTurn(turn: Turn): JsonObject[] {
  if (turn.role === 'assistant') return [writeAssistant(turn.parts)];
  const results = turn.parts.filter((part) => part.type === 'result');
  if (results.length > 0) return results.map(writeResult);
  return [{ role: turn.role, content: contentOf(turn.parts) }];
}

function writeAssistant(parts: readonly Part[]): JsonObject {
  const calls = parts.filter((part) => part.type === 'call');
  const content = parts.filter((part) => part.type !== 'call');
  return said({
    role: 'assistant',
    content: content.length === 0 ? null : contentOf(content),
    tool_calls: calls.length > 0 ? calls.map(writeCall) : undefined,
  });
}

function writeCall({ id, name, input, freeform, cache }: CallPart): JsonObject {
  const cache_control = writeMark(cache);
  if (freeform) return said({ id, type: 'custom', custom: { name, input }, cache_control });
  return said({ id, type: 'function', function: { name, arguments: input }, cache_control });
}

function writeResult({ id, parts, isError, cache }: ResultPart): JsonObject {
  return said({
    role: 'tool',
    tool_call_id: id,
    content: parts.length === 0 ? '' : contentOf(parts),
    is_error: isError ? true : undefined,
    cache_control: writeMark(cache),
  });
}

/** One plain text is a string, as every client writes it; anything else a list of parts. */
function contentOf(parts: readonly Part[]): Json {
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
  const cache_control = writeMark(cache);
  if (document === undefined) return said({ type: 'text', text, cache_control });
  const { title } = document;
  const source = { type: 'text', media_type: 'text/plain', data: text };
  return said({ type: 'document', source, title, ...writeFacts(document), cache_control });
}

function writeFacts(document: MediaPart['document']): Record<string, Json | undefined> {
  return { context: document?.context, citations: document?.citations && { enabled: true } };
}

function writeMedia(part: MediaPart): JsonObject {
  const { source, kind, detail, name } = part;
  const cache_control = writeMark(part.cache);
  if (kind === 'audio' && 'data' in source)
    return {
      type: 'input_audio',
      input_audio: { data: source.data, format: source.mime.replace(/^.*\//, '') },
    };
  const url = 'data' in source ? dataUrl(source) : 'url' in source ? source.url : '';
  if (kind === 'image') return said({ type: 'image_url', image_url: said({ url, detail }), cache_control });
  const member = 'data' in source ? 'file_data' : 'file_url';
  const file = said({ [member]: url, filename: name });
  return said({ type: 'file', file, ...writeFacts(part.document), cache_control });
}

function writeMark(cache: CacheMark | undefined): JsonObject | undefined {
  if (cache === undefined) return undefined;
  return cache === '' ? { type: 'ephemeral' } : { type: 'ephemeral', ttl: cache };
}

function writeTool(tool: Tool): JsonObject {
  const { name, description } = tool;
  if (tool.kind === 'freeform') {
    const format = tool.grammar ? { type: 'grammar', grammar: { ...tool.grammar } } : undefined;
    return { type: 'custom', custom: said({ name, description, format }) };
  }
  const { schema: parameters, strict, cache } = tool;
  return said({
    type: 'function',
    function: said({ name, description, parameters, strict }),
    cache_control: writeMark(cache),
  });
}

function writeChoice(choice: ToolChoice | undefined, tools: readonly Tool[]): Json | undefined {
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
