import type { JsonObject } from '@floe/contract/json';
import {
  applyQuirks,
  ensureNonEmptyConversation,
  reportDroppedFields,
  reportDroppedReasoningSummary,
  reportUnsupportedFormatFields,
  resolveSealValue,
  resolveServiceTier,
  toReminderTurn,
} from '../adapt-request-for-target.ts';
import { applyCacheBreakpoints } from '../cache-breakpoints.ts';
import type { RequestWriteOptions, WrittenRequest } from '../dialect.ts';
import { EmbeddedJsonParser } from '../embedded-json.ts';
import { asNumber } from '../json-narrowing.ts';
import { type PartCapabilities, reportUnsupportedPartFields } from '../part-capabilities.ts';
import { decodeTextFile } from '../read-media.ts';
import type {
  CanonicalRequest,
  ContentPart,
  ConversationTurn,
  DocumentMetadata,
  MediaPart,
  TextPart,
  ToolResultPart,
} from '../request.ts';
import { createCallIdFormatter, toProviderToolName } from '../tool-identifiers.ts';
import {
  type MessagesThinkingSettings,
  writeMessagesCacheControl,
  writeMessagesResponseFormat,
  writeMessagesThinking,
  writeMessagesTools,
} from './write-settings.ts';

const PART_CAPABILITIES: PartCapabilities = { documents: true, names: true, cacheBreakpoints: 'all' };
const MESSAGES_SERVICE_TIERS = { auto: 'auto', standard_only: 'standard_only', default: 'standard_only' };
const CALL_ID_MAX = 64;
const DEFAULT_MAX_TOKENS = 4_096;
const JSON_ONLY = 'Answer with one JSON object and nothing else: no prose, no code fence.';

interface BlockWriter {
  readonly options: RequestWriteOptions;
  readonly dropped: Set<string>;
  readonly callId: (id: string) => string;
  readonly embedded: EmbeddedJsonParser;
}

/** Writes a Messages request for API version 2023-06-01. */
export function writeRequest(original: CanonicalRequest, options: RequestWriteOptions = {}): WrittenRequest {
  const dropped = new Set<string>();
  const request = applyCacheBreakpoints(ensureNonEmptyConversation(original), options, dropped);
  const writer = {
    options,
    dropped,
    callId: createCallIdFormatter(CALL_ID_MAX, options.formatCallId),
    embedded: new EmbeddedJsonParser(),
  };
  const thinking = writeMessagesThinking(request, options, dropped);
  const { sampling } = request;
  reportDroppedFields(
    {
      presence_penalty: sampling.presencePenalty,
      frequency_penalty: sampling.frequencyPenalty,
      seed: sampling.seed,
      verbosity: request.verbosity,
      metadata: request.metadata,
      prompt_cache_key: request.cacheKey,
    },
    dropped,
  );
  reportUnsupportedPartFields(request, PART_CAPABILITIES, dropped);
  reportDroppedReasoningSummary(request, dropped);
  const system = withJsonInstruction(request, dropped);
  const format = writeMessagesResponseFormat(request.format, dropped);
  reportUnsupportedFormatFields(request, ['description'], dropped);
  const config = { effort: thinking.effort, format };
  const body: JsonObject = {
    model: options.model ?? request.model,
    max_tokens: thinking.maxTokens ?? request.maxTokens ?? options.defaultMaxTokens ?? DEFAULT_MAX_TOKENS,
    system: system.length > 0 ? system.map(writeSystem) : undefined,
    messages: writeMessages(request, writer),
    ...writeMessagesTools(request, options, dropped),
    ...writeSampling(request, thinking, dropped),
    stop_sequences: request.stop.length > 0 ? request.stop : undefined,
    thinking: thinking.thinking,
    output_config: config.effort || config.format ? config : undefined,
    metadata: request.user === undefined ? undefined : { user_id: request.user },
    service_tier: resolveServiceTier(request, MESSAGES_SERVICE_TIERS, options, dropped),
    stream: options.stream ?? request.stream,
  };
  const clamps = { temperature: { min: 0, max: 1 }, ...options.clamps };
  return { body: applyQuirks(body, { ...options, clamps }, dropped), dropped };
}

/**
 * The dialect has no JSON mode. An instruction is added to the prompt, and the field is reported as dropped.
 */
function withJsonInstruction(request: CanonicalRequest, dropped: Set<string>): readonly TextPart[] {
  if (request.format?.type !== 'json') return request.system;
  dropped.add('response_format');
  return [...request.system, { type: 'text', text: JSON_ONLY }];
}

/** Thinking requires the default sampling settings. */
function writeSampling(
  request: CanonicalRequest,
  thinking: MessagesThinkingSettings,
  dropped: Set<string>,
): JsonObject {
  const { temperature, topP, topK } = request.sampling;
  const on = thinking.thinking !== undefined && thinking.thinking['type'] !== 'disabled';
  if (!on) return { temperature, top_p: topP, top_k: topK };
  reportDroppedFields(
    { temperature: asNumber(temperature) === 1 ? undefined : temperature, top_p: topP, top_k: topK },
    dropped,
  );
  return {};
}

/** Merges turns of the same role, puts results first in a user message and removes empty text. */
function writeMessages(request: CanonicalRequest, writer: BlockWriter): JsonObject[] {
  const messages: { role: ConversationTurn['role']; content: JsonObject[] }[] = [];
  const inPlace = writer.options.messages?.includes('system-in-place') === true;
  for (const given of request.turns) {
    const turn = given.role === 'system' && !inPlace ? toReminderTurn(given) : given;
    const content = turn.parts.flatMap((part) => writePart(part, writer));
    if (content.length === 0) continue;
    const last = messages.at(-1);
    if (last?.role === turn.role) last.content.push(...content);
    else messages.push({ role: turn.role, content });
  }
  if (messages[0]?.role !== 'user')
    messages.unshift({ role: 'user', content: [{ type: 'text', text: '.' }] });
  return trimLastText(messages, writer.dropped);
}

/** Trailing white space in a final assistant text is rejected. */
function trimLastText(
  messages: { role: ConversationTurn['role']; content: JsonObject[] }[],
  dropped: Set<string>,
): JsonObject[] {
  const last = messages.at(-1);
  const block = last?.content.at(-1);
  if (last?.role === 'assistant' && block?.['type'] === 'text') {
    const text = String(block['text']);
    last.content[last.content.length - 1] = { ...block, text: text.trimEnd() };
    if (text !== text.trimEnd()) dropped.add('messages.content.clamped');
  }
  return messages.map(({ role, content }) => ({ role, content }));
}

function writePart(part: ContentPart, writer: BlockWriter): JsonObject[] {
  switch (part.type) {
    case 'text':
      if (part.text.trim() !== '') return [writeText(part)];
      writer.dropped.add('messages.content.clamped');
      return [];
    case 'refusal':
      return [{ type: 'text', text: part.text }];
    case 'media':
      return [writeMedia(part)];
    case 'reasoning': {
      const sealed = resolveSealValue(part, 'messages', writer.options, writer.dropped);
      if (sealed === undefined) {
        writer.dropped.add('reasoning');
        return [];
      }
      if (part.seal?.redacted) return [{ type: 'redacted_thinking', data: sealed }];
      return [{ type: 'thinking', thinking: part.text, signature: sealed }];
    }
    case 'call':
      return [
        {
          type: 'tool_use',
          id: writer.callId(part.id),
          name: toProviderToolName(part.name),
          input: part.freeform
            ? { input: part.input }
            : writer.embedded.parseArguments(part.input, writer.dropped),
          cache_control: writeMessagesCacheControl(part.cache),
        },
      ];
    case 'result':
      return [writeResult(part, writer)];
  }
}

function writeResult(part: ToolResultPart, writer: BlockWriter): JsonObject {
  const only = part.parts.length === 1 ? part.parts[0] : undefined;
  const content =
    only?.type === 'text' && only.cache === undefined && only.document === undefined
      ? only.text
      : part.parts.map((inner) => (inner.type === 'text' ? writeText(inner) : writeMedia(inner)));
  return {
    type: 'tool_result',
    tool_use_id: writer.callId(part.id),
    content: part.parts.length === 0 ? undefined : content,
    is_error: part.isError ? true : undefined,
    cache_control: writeMessagesCacheControl(part.cache),
  };
}

function writeText({ text, cache, document }: TextPart): JsonObject {
  const cache_control = writeMessagesCacheControl(cache);
  if (document === undefined) return { type: 'text', text, cache_control };
  return {
    type: 'document',
    source: writeTextSource(text),
    ...writeDocumentMetadata(document),
    cache_control,
  };
}

function writeSystem({ text, cache }: TextPart): JsonObject {
  return { type: 'text', text, cache_control: writeMessagesCacheControl(cache) };
}

function writeDocumentMetadata({ title, context, citations }: DocumentMetadata): JsonObject {
  return { title, context, citations: citations && { enabled: true } };
}

function writeTextSource(data: string): JsonObject {
  return { type: 'text', media_type: 'text/plain', data };
}

/** Base64 is valid for PDF documents and images. All other files that reach this function are text. */
function writeMedia(part: MediaPart): JsonObject {
  const { source } = part;
  const cache_control = writeMessagesCacheControl(part.cache);
  const text = part.kind === 'file' ? decodeTextFile(part) : undefined;
  let from: JsonObject;
  if (text !== undefined) from = writeTextSource(text);
  else if ('data' in source) from = { type: 'base64', media_type: source.mime, data: source.data };
  else if ('url' in source) from = { type: 'url', url: source.url };
  else from = { type: 'file', file_id: source.id };
  if (part.kind === 'image') return { type: 'image', source: from, cache_control };
  const facts = writeDocumentMetadata({ ...part.document, title: part.name });
  return { type: 'document', source: from, ...facts, cache_control };
}
