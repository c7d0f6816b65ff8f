import type { Json, JsonObject } from '@floe/contract/json';
import {
  applyQuirks,
  joinSystemText,
  joinToolResultText,
  keepSupportedHint,
  OPENAI_SERVICE_TIERS,
  reportDroppedReasoningSummary,
  resolvePromptCacheKey,
  resolveSealValue,
  resolveServiceTier,
  toReminderTurn,
} from '../adapt-request-for-target.ts';
import type { RequestWriteOptions, WrittenRequest } from '../dialect.ts';
import { EmbeddedJsonParser } from '../embedded-json.ts';
import { type PartCapabilities, reportUnsupportedPartFields } from '../part-capabilities.ts';
import { formatDataUrl } from '../read-media.ts';
import type {
  CanonicalRequest,
  ContentPart,
  ConversationTurn,
  MediaPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../request.ts';
import { createCallIdFormatter, toProviderToolName } from '../tool-identifiers.ts';
import { writeChatReasoning, writeChatResponseFormat, writeChatTools } from './write-settings.ts';

/** OpenAI rejects `tool_calls[].id` with more than 40 characters in Chat. */
const CALL_ID_MAX = 40;
/** Limit of OpenAI's schema, which most providers copy. */
const MAX_STOPS = 4;
const PART_CAPABILITIES: PartCapabilities = { detail: true, names: true };
const CACHING_PART_CAPABILITIES: PartCapabilities = { ...PART_CAPABILITIES, cacheBreakpoints: 'texts' };

interface MessageWriter {
  readonly options: RequestWriteOptions;
  readonly dropped: Set<string>;
  readonly callId: (id: string) => string;
  readonly embedded: EmbeddedJsonParser;
}

/** Writes a Chat Completions request. */
export function writeRequest(request: CanonicalRequest, options: RequestWriteOptions = {}): WrittenRequest {
  const dropped = new Set<string>();
  const writer = {
    options,
    dropped,
    callId: createCallIdFormatter(CALL_ID_MAX, options.formatCallId),
    embedded: new EmbeddedJsonParser(),
  };
  const stream = options.stream ?? request.stream;
  const { sampling } = request;
  if (request.metadata) dropped.add('metadata');
  reportUnsupportedPartFields(
    request,
    options.hints?.includes('cache-mark') ? CACHING_PART_CAPABILITIES : PART_CAPABILITIES,
    dropped,
  );
  reportDroppedReasoningSummary(request, dropped);
  const body: JsonObject = {
    model: options.model ?? request.model,
    messages: writeMessages(request, writer),
    ...writeChatTools(request, options, dropped),
    response_format: writeChatResponseFormat(request.format),
    max_tokens: request.maxTokens,
    stop: request.stop.length > 0 ? request.stop : undefined,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    seed: keepSupportedHint(sampling.seed, 'seed', options, dropped),
    ...writeChatReasoning(request, options, dropped),
    user: keepSupportedHint(request.user, 'user', options, dropped),
    prompt_cache_key: resolvePromptCacheKey(request, options, dropped),
    service_tier: resolveServiceTier(request, OPENAI_SERVICE_TIERS, options, dropped),
    verbosity: keepSupportedHint(request.verbosity, 'verbosity', options, dropped),
    stream,
    stream_options: stream && options.streamUsage !== false ? { include_usage: true } : undefined,
  };
  const rules = { ...options, maxStopSequences: options.maxStopSequences ?? MAX_STOPS };
  return { body: applyQuirks(body, rules, dropped), dropped };
}

function writeMessages(request: CanonicalRequest, writer: MessageWriter): Json[] {
  const messages: JsonObject[] = [];
  const rules = writer.options.messages ?? [];
  const systemRole = rules.includes('developer-role') ? 'developer' : 'system';
  if (request.system.length > 0)
    messages.push({ role: systemRole, content: writeContent(request.system, writer, joinSystemText) });
  for (const turn of request.turns) {
    if (turn.role === 'assistant') messages.push(...writeAssistant(turn, writer));
    else if (turn.role === 'user') messages.push(...writeUser(turn, writer));
    else if (rules.includes('one-system-first')) messages.push(...writeUser(toReminderTurn(turn), writer));
    else messages.push({ role: systemRole, content: writeContent(turn.parts, writer) });
  }
  return rules.includes('no-user-after-tool') ? mergeUserAfterTool(messages) : messages;
}

/**
 * Writes results first, as tool messages. Their images follow in a user message, because tool messages cannot
 * contain images.
 */
function writeUser(turn: ConversationTurn, writer: MessageWriter): JsonObject[] {
  const messages: JsonObject[] = [];
  const rest: ContentPart[] = [];
  for (const part of turn.parts) {
    if (part.type !== 'result') {
      rest.push(part);
      continue;
    }
    messages.push({ role: 'tool', tool_call_id: writer.callId(part.id), content: writeResultContent(part) });
    rest.push(...part.parts.filter((inner) => inner.type === 'media'));
  }
  if (rest.length > 0) messages.push({ role: 'user', content: writeContent(rest, writer) });
  return messages;
}

/** Chat has no member for a failed result, so the text states it. */
function writeResultContent(part: ToolResultPart): string {
  return part.isError ? `Error: ${joinToolResultText(part)}` : joinToolResultText(part);
}

function writeAssistant(turn: ConversationTurn, writer: MessageWriter): JsonObject[] {
  const said: TextPart[] = [];
  const calls: JsonObject[] = [];
  let reasoning: JsonObject = {};
  for (const part of turn.parts) {
    if (part.type === 'call') calls.push(writeCall(part, writer));
    else if (part.type === 'text') said.push(part);
    else if (part.type === 'refusal') said.push({ type: 'text', text: part.text });
    else if (part.type === 'reasoning')
      reasoning = { ...reasoning, ...writeReasoning(part, reasoning, writer) };
  }
  if (said.length === 0 && calls.length === 0 && Object.keys(reasoning).length === 0) return [];
  const text = said.map((part) => part.text).join('');
  return [
    {
      role: 'assistant',
      content: said.length === 0 && calls.length > 0 ? null : text,
      ...reasoning,
      tool_calls: calls.length > 0 ? calls : undefined,
    },
  ];
}

function writeReasoning(
  part: Extract<ContentPart, { type: 'reasoning' }>,
  before: JsonObject,
  writer: MessageWriter,
): JsonObject {
  const { options, dropped } = writer;
  const field = options.replay;
  if (field === 'reasoning_details') {
    const sealed = resolveSealValue(part, 'chat', options, dropped);
    const details = sealed === undefined ? undefined : writer.embedded.parse(sealed);
    if (details !== undefined) return { reasoning_details: details };
    if (part.text !== '') return { reasoning: `${before['reasoning'] ?? ''}${part.text}` };
    return {};
  }
  if (part.seal !== undefined) dropped.add('reasoning.seal');
  if (field === undefined || part.text === '') {
    dropped.add('reasoning');
    return {};
  }
  return { [field]: `${before[field] ?? ''}${part.text}` };
}

function writeCall(part: ToolCallPart, writer: MessageWriter): JsonObject {
  const id = writer.callId(part.id);
  const name = toProviderToolName(part.name);
  if (part.freeform && writer.options.tools?.includes('freeform'))
    return { id, type: 'custom', custom: { name, input: part.input } };
  const text = part.freeform ? JSON.stringify({ input: part.input }) : part.input;
  return { id, type: 'function', function: { name, arguments: text } };
}

/** A single text is written as a string, which every provider accepts. Anything else is a list of parts. */
function writeContent(
  parts: readonly ContentPart[],
  writer: MessageWriter,
  join?: (parts: readonly TextPart[]) => string,
): Json {
  const texts = parts.filter((part) => part.type === 'text');
  const marked = texts.some((part) => part.cache !== undefined);
  const marks = marked && writer.options.hints?.includes('cache-mark') === true;
  const plain = texts.length === parts.length && !marks;
  if (plain && texts.length === 1) return texts[0]?.text ?? '';
  if (plain && join) return join(texts);
  return parts.flatMap((part) => {
    if (part.type === 'media') return [writeMedia(part)];
    if (part.type !== 'text') return [];
    const { cache } = part;
    const mark = cache === '' ? { type: 'ephemeral' } : { type: 'ephemeral', ttl: cache };
    return [
      { type: 'text', text: part.text, cache_control: marks && cache !== undefined ? mark : undefined },
    ];
  });
}

function writeMedia(part: MediaPart): JsonObject {
  const { source } = part;
  if (part.kind === 'audio' && 'data' in source)
    return {
      type: 'input_audio',
      input_audio: { data: source.data, format: source.mime.replace(/^.*\//, '') },
    };
  const url = 'data' in source ? formatDataUrl(source) : 'url' in source ? source.url : undefined;
  if (part.kind === 'image') return { type: 'image_url', image_url: { url, detail: part.detail } };
  if ('id' in source) return { type: 'file', file: { file_id: source.id } };
  return { type: 'file', file: { file_data: url, filename: part.name ?? 'file.pdf' } };
}

/** Some providers reject a user message after a tool message. Its text is then appended to the last result. */
function mergeUserAfterTool(messages: readonly JsonObject[]): JsonObject[] {
  const folded: JsonObject[] = [];
  for (const message of messages) {
    const last = folded.at(-1);
    if (last?.['role'] === 'tool' && message['role'] === 'user' && typeof message['content'] === 'string')
      folded[folded.length - 1] = { ...last, content: `${last['content']}\n\n${message['content']}` };
    else folded.push(message);
  }
  return folded;
}
