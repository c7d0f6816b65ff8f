import type { JsonObject } from '@floe/contract/json';
import {
  applyQuirks,
  ensureNonEmptyConversation,
  keepSupportedHint,
  reportDroppedFields,
  reportDroppedReasoningSummary,
  resolveSealValue,
  resolveServiceTier,
  toReminderTurn,
} from '../adapt-request-for-target.ts';
import { applyCacheBreakpoints } from '../cache-breakpoints.ts';
import type { RequestWriteOptions, WrittenRequest } from '../dialect.ts';
import { EmbeddedJsonParser } from '../embedded-json.ts';
import { isTextMediaType } from '../media-types.ts';
import { type PartCapabilities, reportUnsupportedPartFields } from '../part-capabilities.ts';
import {
  type CacheBreakpoint,
  type CanonicalRequest,
  type ContentPart,
  type ConversationTurn,
  createUnsupportedFeatureFault,
  type MediaPart,
  type TextPart,
  type ToolResultPart,
} from '../request.ts';
import { createCallIdFormatter, toProviderToolName } from '../tool-identifiers.ts';
import {
  writeConverseAdditionalModelFields,
  writeConverseCachePoint,
  writeConverseResponseFormat,
  writeConverseToolConfig,
} from './write-settings.ts';

const PART_CAPABILITIES: PartCapabilities = { names: true };
const CACHING_PART_CAPABILITIES: PartCapabilities = { ...PART_CAPABILITIES, cacheBreakpoints: 'all' };
const CONVERSE_TIERS = { default: 'default', standard_only: 'default', flex: 'flex', priority: 'priority' };
const CALL_ID_MAX = 64;
const JSON_ONLY = 'Answer with one JSON object and nothing else: no prose, no code fence.';

interface BlockWriter {
  readonly options: RequestWriteOptions;
  readonly dropped: Set<string>;
  readonly callId: (id: string) => string;
  readonly embedded: EmbeddedJsonParser;
  /** Number of documents so far. Their names must differ. */
  documents: number;
}

/** Writes a Converse request. The model and streaming are part of the URL, not of the body. */
export function writeRequest(original: CanonicalRequest, options: RequestWriteOptions = {}): WrittenRequest {
  const dropped = new Set<string>();
  const marks = options.hints?.includes('cache-mark') === true;
  const said = ensureNonEmptyConversation(original);
  const request = marks ? applyCacheBreakpoints(said, options, dropped) : said;
  const writer = {
    options,
    dropped,
    callId: createCallIdFormatter(CALL_ID_MAX, options.formatCallId),
    embedded: new EmbeddedJsonParser(),
    documents: 0,
  };
  const { sampling } = request;
  reportDroppedFields(
    {
      presence_penalty: sampling.presencePenalty,
      frequency_penalty: sampling.frequencyPenalty,
      seed: sampling.seed,
      verbosity: request.verbosity,
      user: request.user,
      prompt_cache_key: request.cacheKey,
      parallel_tool_calls: request.parallelTools === false ? false : undefined,
    },
    dropped,
  );
  reportUnsupportedPartFields(request, marks ? CACHING_PART_CAPABILITIES : PART_CAPABILITIES, dropped);
  reportDroppedReasoningSummary(request, dropped);
  const { extras, maxTokens } = writeConverseAdditionalModelFields(request, options, dropped);
  const clamps = { temperature: { min: 0, max: 1 }, ...options.clamps };
  const config = applyQuirks(
    {
      maxTokens: maxTokens ?? request.maxTokens,
      temperature: extras?.['thinking'] === undefined ? sampling.temperature : undefined,
      topP: extras?.['thinking'] === undefined ? sampling.topP : undefined,
      stopSequences: request.stop.length > 0 ? request.stop : undefined,
    },
    { ...options, clamps },
    dropped,
  );
  if (extras?.['thinking'] !== undefined)
    reportDroppedFields({ temperature: sampling.temperature, top_p: sampling.topP }, dropped);
  const tier = resolveServiceTier(request, CONVERSE_TIERS, options, dropped);
  const system = withJsonInstruction(request, dropped).flatMap((part) => writeText(part, writer));
  const body: JsonObject = {
    system: system.length > 0 ? system : undefined,
    messages: writeMessages(request, writer),
    inferenceConfig: Object.keys(config).length > 0 ? config : undefined,
    toolConfig: writeConverseToolConfig(request, options, dropped),
    additionalModelRequestFields: extras,
    outputConfig: writeConverseResponseFormat(request.format),
    serviceTier: tier === undefined ? undefined : { type: tier },
    requestMetadata: keepSupportedHint(request.metadata, 'metadata', options, dropped),
  };
  return { body: applyQuirks(body, options, dropped), dropped };
}

/**
 * The dialect has no JSON mode. An instruction is added to the prompt, and the field is reported as dropped.
 */
function withJsonInstruction(request: CanonicalRequest, dropped: Set<string>): readonly TextPart[] {
  if (request.format?.type !== 'json') return request.system;
  dropped.add('response_format');
  return [...request.system, { type: 'text', text: JSON_ONLY }];
}

/**
 * Merges turns of the same role, starts with a user turn and removes empty text. Results are first because of
 * `repairTurns`.
 */
function writeMessages(request: CanonicalRequest, writer: BlockWriter): JsonObject[] {
  const messages: { role: ConversationTurn['role']; content: JsonObject[] }[] = [];
  for (const given of request.turns) {
    const turn = given.role === 'system' ? toReminderTurn(given) : given;
    const content = turn.parts.flatMap((part) => writePart(part, writer));
    if (content.length === 0) continue;
    const last = messages.at(-1);
    if (last?.role === turn.role) last.content.push(...content);
    else messages.push({ role: turn.role, content });
  }
  if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: [{ text: '.' }] });
  return messages.map(({ role, content }, at) => {
    const isLast = at === messages.length - 1;
    return {
      role,
      content:
        role === 'user' ? ensureText(content) : isLast ? trimLastText(content, writer.dropped) : content,
    };
  });
}

/** A message with a document must also contain text. */
function ensureText(content: JsonObject[]): JsonObject[] {
  const hasDocument = content.some((block) => 'document' in block);
  return hasDocument && !content.some((block) => 'text' in block) ? [...content, { text: '.' }] : content;
}

function trimLastText(content: JsonObject[], dropped: Set<string>): JsonObject[] {
  const last = content.at(-1);
  if (last === undefined || typeof last['text'] !== 'string') return content;
  const text = last['text'].trimEnd();
  if (text !== last['text']) dropped.add('messages.content.clamped');
  return [...content.slice(0, -1), { text }];
}

function writePart(part: ContentPart, writer: BlockWriter): JsonObject[] {
  switch (part.type) {
    case 'text':
      return writeText(part, writer);
    case 'refusal':
      return writeText({ type: 'text', text: part.text }, writer);
    case 'media':
      return [writeMedia(part, writer), ...writeConverseCachePoint(part.cache, writer.options)];
    case 'reasoning': {
      const sealed = resolveSealValue(part, 'converse', writer.options, writer.dropped);
      if (sealed === undefined) {
        writer.dropped.add('reasoning');
        return [];
      }
      if (part.seal?.redacted) return [{ reasoningContent: { redactedContent: sealed } }];
      return [{ reasoningContent: { reasoningText: { text: part.text, signature: sealed } } }];
    }
    case 'call': {
      const input = part.freeform
        ? { input: part.input }
        : writer.embedded.parseArguments(part.input, writer.dropped);
      const toolUse = { toolUseId: writer.callId(part.id), name: toProviderToolName(part.name), input };
      return [{ toolUse }, ...writeConverseCachePoint(part.cache, writer.options)];
    }
    case 'result':
      return [
        { toolResult: writeResult(part, writer) },
        ...writeConverseCachePoint(resultBreakpoint(part), writer.options),
      ];
  }
}

/** A breakpoint within a result is moved after the result. */
function resultBreakpoint({ cache, parts }: ToolResultPart): CacheBreakpoint | undefined {
  return cache ?? parts.findLast((inner) => inner.cache !== undefined)?.cache;
}

function writeText(part: TextPart, writer: BlockWriter): JsonObject[] {
  if (part.text.trim() !== '')
    return [{ text: part.text }, ...writeConverseCachePoint(part.cache, writer.options)];
  writer.dropped.add('messages.content.clamped');
  return [];
}

function writeResult(part: ToolResultPart, writer: BlockWriter): JsonObject {
  const content = part.parts.flatMap((inner) => {
    if (inner.type === 'media') return [writeMedia(inner, writer)];
    return inner.text === '' ? [] : [{ text: inner.text }];
  });
  return {
    toolUseId: writer.callId(part.id),
    content: content.length > 0 ? content : [{ text: '(empty)' }],
    status: part.isError ? 'error' : undefined,
  };
}

/** Formats of this dialect by the part of a media type after the last slash or dot. */
const FORMAT_BY_SUBTYPE: Readonly<Record<string, string>> = {
  jpg: 'jpeg',
  plain: 'txt',
  markdown: 'md',
  msword: 'doc',
  document: 'docx',
  'ms-excel': 'xls',
  sheet: 'xlsx',
};

const TEXT_FORMATS = new Set(['txt', 'csv', 'html', 'md']);
const DOCUMENT_FORMATS = new Set([...TEXT_FORMATS, 'pdf', 'doc', 'docx', 'xls', 'xlsx']);

/** Accepts only bytes. A request with a media URL is never sent here (`carries`). */
function writeMedia(part: MediaPart, writer: BlockWriter): JsonObject {
  const { mime, data } = 'data' in part.source ? part.source : { mime: '', data: '' };
  const subtype = mime.split(';')[0]?.split(/[/.+]/).at(-1) ?? '';
  const format =
    FORMAT_BY_SUBTYPE[subtype] ?? (isTextMediaType(mime) && !TEXT_FORMATS.has(subtype) ? 'txt' : subtype);
  const source = { bytes: data };
  if (part.kind === 'image') return { image: { format, source } };
  if (!DOCUMENT_FORMATS.has(format))
    throw createUnsupportedFeatureFault({ need: 'file-type', param: 'messages' });
  writer.documents += 1;
  return { document: { format, name: documentName(part.name, writer.documents), source } };
}

/**
 * Returns a valid document name: letters, digits, single spaces, hyphens and brackets. The number makes it
 * unique.
 */
function documentName(name: string | undefined, number: number): string {
  const plain = (name ?? '')
    .replace(/\.[A-Za-z0-9]+$/, '')
    .replace(/[^A-Za-z0-9()[\]-]+/g, ' ')
    .trim();
  return `${plain === '' ? 'document' : plain.slice(0, 150)} ${number}`;
}
