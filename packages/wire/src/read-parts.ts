import type { Json, JsonObject } from '@floe/contract/json';
import { type AskDraft, cacheMark, invalid } from './ask-draft.ts';
import { isArray, isObject, listOf, objectOf, textOf } from './json-read.ts';
import type { CallPart, MediaPart, MediaSource, Part, ResultPart, TextPart } from './request.ts';
import { unpackSeal } from './seal.ts';

/**
 * Content of any dialect as parts: clients mix the dialects' part types inside one body, so each
 * element is read by its own type. A string is one text part; empty text is none.
 */
export function readParts(
  content: Json | undefined,
  path: string,
  draft: AskDraft,
  inResult = false,
): Part[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const list = isArray(content) ? content : [content];
  return list.flatMap((entry, index) => {
    const at = isArray(content) ? `${path}[${index}]` : path;
    if (typeof entry === 'string') return entry === '' ? [] : [{ type: 'text' as const, text: entry }];
    if (!isObject(entry)) throw invalid(`\`${at}\` must be an object.`, at);
    const part = inResult && entry['type'] === 'tool_result' ? undefined : readPart(entry, at, draft);
    return part === undefined ? [] : [part];
  });
}

function readPart(part: JsonObject, path: string, draft: AskDraft): Part | undefined {
  const type = textOf(part['type']) ?? (typeof part['text'] === 'string' ? 'text' : '');
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'summary_text':
    case 'reasoning_text': {
      const text = textOf(part['text']) ?? '';
      return text === '' ? undefined : { type: 'text', text, cache: cacheMark(part) };
    }
    case 'refusal': {
      const text = textOf(part['refusal']) ?? textOf(part['text']) ?? '';
      return text === '' ? undefined : { type: 'refusal', text };
    }
    case 'image_url':
    case 'input_image':
    case 'image':
      return readImage(part, path, draft);
    case 'file':
    case 'input_file':
    case 'document':
      return readFile(part, path, draft);
    case 'input_audio':
      return readAudio(part, path, draft);
    case 'thinking': {
      const signature = textOf(part['signature']);
      const text = textOf(part['thinking']) ?? '';
      return { type: 'reasoning', text, seal: signature ? unpackSeal(signature, 'messages') : undefined };
    }
    case 'redacted_thinking':
      return {
        type: 'reasoning',
        text: '',
        seal: unpackSeal(textOf(part['data']) ?? '', 'messages', true),
      };
    case 'tool_use':
      return readToolUse(part);
    case 'tool_result':
      return readToolResult(part, path, draft);
    case 'tool_reference':
      return { type: 'text', text: textOf(part['tool_name']) ?? '' };
    default:
      if (isHostedTrace(type)) draft.drop(type);
      else draft.need('unknown-content', path);
      return undefined;
  }
}

/** What a provider's own tool left in the history: no other provider can read it, none needs it. */
export function isHostedTrace(type: string): boolean {
  return (
    /_call(_output)?$/.test(type) ||
    /_tool_result$/.test(type) ||
    /^(server_tool_use|mcp_\w+|compaction|container_upload|item_reference|tool_search_output)$/.test(type)
  );
}

function readImage(part: JsonObject, path: string, draft: AskDraft): MediaPart {
  draft.need('image', path);
  const field = part['image_url'] ?? part['url'];
  const url = textOf(field) ?? textOf(objectOf(field)?.['url']);
  const detail = textOf(part['detail']) ?? textOf(objectOf(field)?.['detail']);
  const base = { type: 'media', kind: 'image', detail, cache: cacheMark(part) } as const;
  const id = textOf(part['file_id']);
  if (url !== undefined) return withUrlNeed({ ...base, source: urlSource(url) }, path, draft);
  if (id !== undefined) return { ...base, source: idSource(id, path, draft) };
  return withUrlNeed({ ...base, source: readSource(part, path, draft) }, path, draft);
}

/** Not every provider fetches addresses. */
function withUrlNeed(part: MediaPart, path: string, draft: AskDraft): MediaPart {
  if ('url' in part.source) draft.need(part.kind === 'image' ? 'image-url' : 'file-url', path);
  return part;
}

function readFile(part: JsonObject, path: string, draft: AskDraft): Part {
  const file = objectOf(part['file']) ?? part;
  const name = textOf(file['filename']) ?? textOf(part['title']);
  const cache = cacheMark(part);
  const inner = objectOf(part['source']);
  if (inner?.['type'] === 'text') return { type: 'text', text: textOf(inner['data']) ?? '', cache };
  draft.need('file', path);
  const base = { type: 'media', kind: 'file', name, cache } as const;
  const data = textOf(file['file_data']);
  if (data !== undefined) {
    const source = urlSource(data);
    return { ...base, source: 'url' in source ? { data, mime: 'application/pdf' } : source };
  }
  const url = textOf(file['file_url']);
  if (url !== undefined) return withUrlNeed({ ...base, source: urlSource(url) }, path, draft);
  const id = textOf(file['file_id']);
  if (id !== undefined) return { ...base, source: idSource(id, path, draft) };
  return withUrlNeed({ ...base, source: readSource(part, path, draft) }, path, draft);
}

function readAudio(part: JsonObject, path: string, draft: AskDraft): MediaPart {
  draft.need('audio', path);
  const audio = objectOf(part['input_audio']) ?? part;
  const mime = `audio/${textOf(audio['format']) ?? 'wav'}`;
  return { type: 'media', kind: 'audio', source: { data: textOf(audio['data']) ?? '', mime } };
}

/** A Messages `source`: base64, url or file id. */
function readSource(part: JsonObject, path: string, draft: AskDraft): MediaSource {
  const source = objectOf(part['source']);
  const url = textOf(source?.['url']);
  if (url !== undefined) return urlSource(url);
  const data = textOf(source?.['data']);
  if (data !== undefined) return { data, mime: textOf(source?.['media_type']) ?? 'application/octet-stream' };
  const id = textOf(source?.['file_id']);
  if (id !== undefined) return idSource(id, path, draft);
  throw invalid(`\`${path}\` names no image, file or data.`, path);
}

function idSource(id: string, path: string, draft: AskDraft): MediaSource {
  draft.need('media-id', path);
  return { id };
}

/** A data URL becomes data, so that every dialect can write it in its own form. */
export function urlSource(url: string): MediaSource {
  if (!url.startsWith('data:')) return { url };
  const comma = url.indexOf(',');
  const head = url.slice(5, comma);
  if (comma < 0 || !head.endsWith(';base64')) return { url };
  return { data: url.slice(comma + 1), mime: head.slice(0, -7) };
}

export function dataUrl(source: { readonly data: string; readonly mime: string }): string {
  return `data:${source.mime};base64,${source.data}`;
}

function readToolUse(part: JsonObject): CallPart {
  const inner = objectOf(part['function']);
  return {
    type: 'call',
    id: textOf(part['id']) ?? textOf(part['tool_call_id']) ?? '',
    name: textOf(part['name']) ?? textOf(inner?.['name']) ?? '',
    input: argumentText(part['input'] ?? inner?.['arguments']),
    freeform: false,
    cache: cacheMark(part),
  };
}

function readToolResult(part: JsonObject, path: string, draft: AskDraft): ResultPart {
  return {
    type: 'result',
    id: textOf(part['tool_use_id']) ?? textOf(part['tool_call_id']) ?? '',
    parts: resultParts(readParts(part['content'], `${path}.content`, draft, true)),
    isError: part['is_error'] === true,
    cache: cacheMark(part),
  };
}

export function resultParts(parts: readonly Part[]): (TextPart | MediaPart)[] {
  return parts.filter((part) => part.type === 'text' || part.type === 'media');
}

/** Arguments as JSON text: a string as it stands, an object written out, nothing as `{}`. */
export function argumentText(value: Json | undefined): string {
  if (typeof value === 'string') return value === '' ? '{}' : value;
  return value === undefined || value === null ? '{}' : JSON.stringify(value);
}

/** Text parts of `system` or `instructions`, whichever form it has. */
export function readSystem(value: Json | undefined, path: string, draft: AskDraft): TextPart[] {
  const items = listOf(value);
  const nested = items.some((entry) => isObject(entry) && 'content' in entry && 'role' in entry);
  const content = nested
    ? items.flatMap((entry) => readParts(objectOf(entry)?.['content'], path, draft))
    : readParts(value, path, draft);
  return content.filter((part) => part.type === 'text');
}
