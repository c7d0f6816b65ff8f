import type { JsonObject } from '@floe/contract/json';
import { withCacheMarks } from '../cache-marks.ts';
import type { UpstreamOptions, Written } from '../dialect.ts';
import { isObject, parseExactJson } from '../json-read.ts';
import { isTextType } from '../media-types.ts';
import { type PartWords, reportParts } from '../part-losses.ts';
import {
  type Ask,
  type CacheMark,
  type MediaPart,
  type Part,
  type ResultPart,
  refusal,
  type TextPart,
  type Turn,
} from '../request.ts';
import { callIdWriter, wireName } from '../tool-names.ts';
import {
  applyQuirks,
  asReminder,
  dropSaid,
  hint,
  reportReasoningSummary,
  sealFor,
  tierFor,
  withConversation,
} from '../write-plan.ts';
import { cachePointOf, extrasOf, formatOf, toolConfigOf } from './write-settings.ts';

const WORDS: PartWords = { names: true };
const MARKED: PartWords = { ...WORDS, marks: 'all' };
const CONVERSE_TIERS = { default: 'default', standard_only: 'default', flex: 'flex', priority: 'priority' };
const CALL_ID_MAX = 64;
const JSON_ONLY = 'Answer with one JSON object and nothing else: no prose, no code fence.';

interface BlockWriter {
  readonly options: UpstreamOptions;
  readonly dropped: Set<string>;
  readonly callId: (id: string) => string;
  /** Documents so far: their names must differ. */
  documents: number;
}

/** Writes a Converse request; model and streaming stand in the URL. */
export function writeAsk(asked: Ask, options: UpstreamOptions = {}): Written {
  const dropped = new Set<string>();
  const marks = options.hints?.includes('cache-mark') === true;
  const said = withConversation(asked);
  const ask = marks ? withCacheMarks(said, options, dropped) : said;
  const writer = { options, dropped, callId: callIdWriter(CALL_ID_MAX, options.callId), documents: 0 };
  const { sampling } = ask;
  dropSaid(
    {
      presence_penalty: sampling.presencePenalty,
      frequency_penalty: sampling.frequencyPenalty,
      seed: sampling.seed,
      verbosity: ask.verbosity,
      user: ask.user,
      prompt_cache_key: ask.cacheKey,
      parallel_tool_calls: ask.parallelTools === false ? false : undefined,
    },
    dropped,
  );
  reportParts(ask, marks ? MARKED : WORDS, dropped);
  reportReasoningSummary(ask, dropped);
  const { extras, maxTokens } = extrasOf(ask, options, dropped);
  const clamps = { temperature: { min: 0, max: 1 }, ...options.clamps };
  const config = applyQuirks(
    {
      maxTokens: maxTokens ?? ask.maxTokens,
      temperature: extras?.['thinking'] === undefined ? sampling.temperature : undefined,
      topP: extras?.['thinking'] === undefined ? sampling.topP : undefined,
      stopSequences: ask.stop.length > 0 ? ask.stop : undefined,
    },
    { ...options, clamps },
    dropped,
  );
  if (extras?.['thinking'] !== undefined)
    dropSaid({ temperature: sampling.temperature, top_p: sampling.topP }, dropped);
  const tier = tierFor(ask, CONVERSE_TIERS, options, dropped);
  const system = systemOf(ask, dropped).flatMap((part) => writeText(part, writer));
  const body: JsonObject = {
    system: system.length > 0 ? system : undefined,
    messages: writeMessages(ask, writer),
    inferenceConfig: Object.keys(config).length > 0 ? config : undefined,
    toolConfig: toolConfigOf(ask, options, dropped),
    additionalModelRequestFields: extras,
    outputConfig: formatOf(ask.format),
    serviceTier: tier === undefined ? undefined : { type: tier },
    requestMetadata: hint(ask.metadata, 'metadata', options, dropped),
  };
  return { body: applyQuirks(body, options, dropped), dropped };
}

/** The dialect has no JSON mode: the wish goes into the prompt, and is reported. */
function systemOf(ask: Ask, dropped: Set<string>): readonly TextPart[] {
  if (ask.format?.type !== 'json') return ask.system;
  dropped.add('response_format');
  return [...ask.system, { type: 'text', text: JSON_ONLY }];
}

/** Same-role turns merge, users begin, empty text goes; results come first, for `repairTurns` puts them so. */
function writeMessages(ask: Ask, writer: BlockWriter): JsonObject[] {
  const messages: { role: Turn['role']; content: JsonObject[] }[] = [];
  for (const given of ask.turns) {
    const turn = given.role === 'system' ? asReminder(given) : given;
    const content = turn.parts.flatMap((part) => writePart(part, writer));
    if (content.length === 0) continue;
    const last = messages.at(-1);
    if (last?.role === turn.role) last.content.push(...content);
    else messages.push({ role: turn.role, content });
  }
  if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: [{ text: '.' }] });
  return messages.map(({ role, content }, at) => {
    const isLast = at === messages.length - 1;
    return { role, content: role === 'user' ? withText(content) : isLast ? trimmedEnd(content) : content };
  });
}

/** A message with a document must say something beside it. */
function withText(content: JsonObject[]): JsonObject[] {
  const hasDocument = content.some((block) => 'document' in block);
  return hasDocument && !content.some((block) => 'text' in block) ? [...content, { text: '.' }] : content;
}

function trimmedEnd(content: JsonObject[]): JsonObject[] {
  const last = content.at(-1);
  if (last === undefined || typeof last['text'] !== 'string') return content;
  return [...content.slice(0, -1), { text: last['text'].trimEnd() }];
}

function writePart(part: Part, writer: BlockWriter): JsonObject[] {
  switch (part.type) {
    case 'text':
      return writeText(part, writer);
    case 'refusal':
      return part.text.trim() === '' ? [] : [{ text: part.text }];
    case 'media':
      return [writeMedia(part, writer), ...cachePointOf(part.cache, writer.options)];
    case 'reasoning': {
      const sealed = sealFor(part, 'converse', writer.options, writer.dropped);
      if (sealed === undefined) {
        writer.dropped.add('reasoning');
        return [];
      }
      if (part.seal?.redacted) return [{ reasoningContent: { redactedContent: sealed } }];
      return [{ reasoningContent: { reasoningText: { text: part.text, signature: sealed } } }];
    }
    case 'call': {
      const input = part.freeform ? { input: part.input } : argumentsObject(part.input, writer.dropped);
      const toolUse = { toolUseId: writer.callId(part.id), name: wireName(part.name), input };
      return [{ toolUse }, ...cachePointOf(part.cache, writer.options)];
    }
    case 'result':
      return [{ toolResult: writeResult(part, writer) }, ...cachePointOf(markOfResult(part), writer.options)];
  }
}

/** A mark inside of a result stands behind it here. */
function markOfResult({ cache, parts }: ResultPart): CacheMark | undefined {
  return cache ?? parts.findLast((inner) => inner.cache !== undefined)?.cache;
}

function writeText(part: TextPart, writer: BlockWriter): JsonObject[] {
  return part.text.trim() === '' ? [] : [{ text: part.text }, ...cachePointOf(part.cache, writer.options)];
}

/** Arguments as the object this dialect wants; text that is no object is kept under `input`. */
function argumentsObject(text: string, dropped: Set<string>): JsonObject {
  const parsed = parseExactJson(text);
  if (isObject(parsed)) return parsed;
  dropped.add('tool_calls.arguments.malformed');
  return { input: text };
}

function writeResult(part: ResultPart, writer: BlockWriter): JsonObject {
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

/** What stands behind the last slash or dot of a media type, in this dialect's words. */
const FORMATS: Readonly<Record<string, string>> = {
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

/** Bytes only: a request with an address is not brought here (`carries`). */
function writeMedia(part: MediaPart, writer: BlockWriter): JsonObject {
  const { mime, data } = 'data' in part.source ? part.source : { mime: '', data: '' };
  const subtype = mime.split(';')[0]?.split(/[/.+]/).at(-1) ?? '';
  const format = FORMATS[subtype] ?? (isTextType(mime) && !TEXT_FORMATS.has(subtype) ? 'txt' : subtype);
  const source = { bytes: data };
  if (part.kind === 'image') return { image: { format, source } };
  if (!DOCUMENT_FORMATS.has(format)) throw refusal({ need: 'file-type', param: 'messages' });
  writer.documents += 1;
  return { document: { format, name: documentName(part.name, writer.documents), source } };
}

/** Letters, digits, single spaces, hyphens and brackets; the number keeps names apart. */
function documentName(name: string | undefined, number: number): string {
  const plain = (name ?? '')
    .replace(/\.[A-Za-z0-9]+$/, '')
    .replace(/[^A-Za-z0-9()[\]-]+/g, ' ')
    .trim();
  return `${plain === '' ? 'document' : plain.slice(0, 150)} ${number}`;
}
