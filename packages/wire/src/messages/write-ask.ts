import type { JsonObject } from '@floe/contract/json';
import { withCacheMarks } from '../cache-marks.ts';
import type { UpstreamOptions, Written } from '../dialect.ts';
import { isObject, numberOf, parseExactJson } from '../json-read.ts';
import { type PartWords, reportParts } from '../part-losses.ts';
import { textOfFile } from '../read-media.ts';
import type { Ask, DocumentFacts, MediaPart, Part, ResultPart, TextPart, Turn } from '../request.ts';
import { callIdWriter, wireName } from '../tool-names.ts';
import {
  applyQuirks,
  asReminder,
  dropSaid,
  reportFormat,
  reportReasoningSummary,
  sealFor,
  tierFor,
  withConversation,
} from '../write-plan.ts';
import { formatOf, mark, type Thinking, thinkingOf, toolsOf } from './write-settings.ts';

const WORDS: PartWords = { documents: true, names: true, marks: 'all' };
const TIERS = { auto: 'auto', standard_only: 'standard_only', default: 'standard_only' };
const CALL_ID_MAX = 64;
const DEFAULT_MAX_TOKENS = 4_096;
const JSON_ONLY = 'Answer with one JSON object and nothing else: no prose, no code fence.';

interface BlockWriter {
  readonly options: UpstreamOptions;
  readonly dropped: Set<string>;
  readonly callId: (id: string) => string;
}

/** Writes a Messages request for API version 2023-06-01. */
export function writeAsk(asked: Ask, options: UpstreamOptions = {}): Written {
  const dropped = new Set<string>();
  const ask = withCacheMarks(withConversation(asked), options, dropped);
  const writer = { options, dropped, callId: callIdWriter(CALL_ID_MAX, options.callId) };
  const thinking = thinkingOf(ask, options, dropped);
  const { sampling } = ask;
  dropSaid(
    {
      presence_penalty: sampling.presencePenalty,
      frequency_penalty: sampling.frequencyPenalty,
      seed: sampling.seed,
      verbosity: ask.verbosity,
      metadata: ask.metadata,
      prompt_cache_key: ask.cacheKey,
    },
    dropped,
  );
  reportParts(ask, WORDS, dropped);
  reportReasoningSummary(ask, dropped);
  const system = systemOf(ask, dropped);
  const format = formatOf(ask.format, dropped);
  reportFormat(ask, ['description'], dropped);
  const config = { effort: thinking.effort, format };
  const body: JsonObject = {
    model: options.model ?? ask.model,
    max_tokens: thinking.maxTokens ?? ask.maxTokens ?? options.defaultMaxTokens ?? DEFAULT_MAX_TOKENS,
    system: system.length > 0 ? system.map(writeSystem) : undefined,
    messages: writeMessages(ask, writer),
    ...toolsOf(ask, options, dropped),
    ...samplingOf(ask, thinking, dropped),
    stop_sequences: ask.stop.length > 0 ? ask.stop : undefined,
    thinking: thinking.thinking,
    output_config: config.effort || config.format ? config : undefined,
    metadata: ask.user === undefined ? undefined : { user_id: ask.user },
    service_tier: tierFor(ask, TIERS, options, dropped),
    stream: options.stream ?? ask.stream,
  };
  const clamps = { temperature: { min: 0, max: 1 }, ...options.clamps };
  return { body: applyQuirks(body, { ...options, clamps }, dropped), dropped };
}

/** The dialect has no JSON mode: the wish goes into the prompt, and is reported. */
function systemOf(ask: Ask, dropped: Set<string>): readonly TextPart[] {
  if (ask.format?.type !== 'json') return ask.system;
  dropped.add('response_format');
  return [...ask.system, { type: 'text', text: JSON_ONLY }];
}

/** With thinking on, sampling must stay at its defaults. */
function samplingOf(ask: Ask, thinking: Thinking, dropped: Set<string>): JsonObject {
  const { temperature, topP, topK } = ask.sampling;
  const on = thinking.thinking !== undefined && thinking.thinking['type'] !== 'disabled';
  if (!on) return { temperature, top_p: topP, top_k: topK };
  dropSaid(
    { temperature: numberOf(temperature) === 1 ? undefined : temperature, top_p: topP, top_k: topK },
    dropped,
  );
  return {};
}

/** Same-role turns merge; a user message begins with its results; empty text goes. */
function writeMessages(ask: Ask, writer: BlockWriter): JsonObject[] {
  const messages: { role: Turn['role']; content: JsonObject[] }[] = [];
  const inPlace = writer.options.messages?.includes('system-in-place') === true;
  for (const given of ask.turns) {
    const turn = given.role === 'system' && !inPlace ? asReminder(given) : given;
    const content = turn.parts.flatMap((part) => writePart(part, writer));
    if (content.length === 0) continue;
    const last = messages.at(-1);
    if (last?.role === turn.role) last.content.push(...content);
    else messages.push({ role: turn.role, content });
  }
  if (messages[0]?.role !== 'user')
    messages.unshift({ role: 'user', content: [{ type: 'text', text: '.' }] });
  return trimmedEnd(messages);
}

/** Trailing white space in a final assistant text is refused. */
function trimmedEnd(messages: { role: Turn['role']; content: JsonObject[] }[]): JsonObject[] {
  const last = messages.at(-1);
  const block = last?.content.at(-1);
  if (last?.role === 'assistant' && block?.['type'] === 'text')
    last.content[last.content.length - 1] = { ...block, text: String(block['text']).trimEnd() };
  return messages.map(({ role, content }) => ({ role, content }));
}

function writePart(part: Part, writer: BlockWriter): JsonObject[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [writeText(part)];
    case 'refusal':
      return [{ type: 'text', text: part.text }];
    case 'media':
      return [writeMedia(part)];
    case 'reasoning': {
      const sealed = sealFor(part, 'messages', writer.options, writer.dropped);
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
          name: wireName(part.name),
          input: part.freeform ? { input: part.input } : argumentsObject(part.input, writer.dropped),
          cache_control: mark(part.cache),
        },
      ];
    case 'result':
      return [writeResult(part, writer)];
  }
}

/** Arguments as the object this dialect wants; text that is no object is kept under `input`. */
function argumentsObject(text: string, dropped: Set<string>): JsonObject {
  const parsed = parseExactJson(text);
  if (isObject(parsed)) return parsed;
  dropped.add('tool_calls.arguments.malformed');
  return { input: text };
}

function writeResult(part: ResultPart, writer: BlockWriter): JsonObject {
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
    cache_control: mark(part.cache),
  };
}

function writeText({ text, cache, document }: TextPart): JsonObject {
  const cache_control = mark(cache);
  if (document === undefined) return { type: 'text', text, cache_control };
  return { type: 'document', source: textSource(text), ...factsOf(document), cache_control };
}

function writeSystem({ text, cache }: TextPart): JsonObject {
  return { type: 'text', text, cache_control: mark(cache) };
}

function factsOf({ title, context, citations }: DocumentFacts): JsonObject {
  return { title, context, citations: citations && { enabled: true } };
}

function textSource(data: string): JsonObject {
  return { type: 'text', media_type: 'text/plain', data };
}

/** Base64 is for PDF documents and pictures; other files that can come here are text. */
function writeMedia(part: MediaPart): JsonObject {
  const { source } = part;
  const cache_control = mark(part.cache);
  const text = part.kind === 'file' ? textOfFile(part) : undefined;
  let from: JsonObject;
  if (text !== undefined) from = textSource(text);
  else if ('data' in source) from = { type: 'base64', media_type: source.mime, data: source.data };
  else if ('url' in source) from = { type: 'url', url: source.url };
  else from = { type: 'file', file_id: source.id };
  if (part.kind === 'image') return { type: 'image', source: from, cache_control };
  const facts = factsOf({ ...part.document, title: part.name });
  return { type: 'document', source: from, ...facts, cache_control };
}
