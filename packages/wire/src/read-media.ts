import { Buffer } from 'node:buffer';
import type { JsonObject } from '@floe/contract/json';
import { type AskDraft, cacheMark, invalid } from './ask-draft.ts';
import { objectOf, textOf } from './json-read.ts';
import { isTextType, utf8Of } from './media-types.ts';
import type { DocumentFacts, MediaPart, MediaSource, Part } from './request.ts';

const IMAGE = new Set(['type', 'image_url', 'url', 'detail', 'file_id', 'source', 'cache_control']);
const IMAGE_URL = new Set(['url', 'detail']);
const FILE = new Set(
  'type file filename title context citations file_data file_url file_id source cache_control'.split(' '),
);
const INNER_FILE = new Set(['filename', 'file_data', 'file_url', 'file_id']);
const SOURCE = new Set(['type', 'media_type', 'data', 'url', 'file_id']);
const AUDIO = new Set(['type', 'input_audio', 'data', 'format']);
/** Types every provider with eyes reads. */
const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
/** Of file data that comes without its type. */
const TYPE_OF_ENDING: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
};

/** A picture in any dialect's form. */
export function readImage(part: JsonObject, path: string, draft: AskDraft): MediaPart {
  draft.need('image', path);
  draft.dropUnknown(part, IMAGE, 'image.');
  const field = part['image_url'] ?? part['url'];
  const inner = objectOf(field);
  if (inner) draft.dropUnknown(inner, IMAGE_URL, 'image.');
  const url = textOf(field) ?? textOf(inner?.['url']);
  const detail = textOf(part['detail']) ?? textOf(inner?.['detail']);
  const base = { type: 'media', kind: 'image', detail, cache: cacheMark(part) } as const;
  const id = textOf(part['file_id']);
  if (url !== undefined) return withNeeds({ ...base, source: urlSource(url) }, path, draft);
  if (id !== undefined) return { ...base, source: idSource(id, path, draft) };
  return withNeeds({ ...base, source: readSource(part, path, draft) }, path, draft);
}

/** Not every provider fetches addresses, or reads every type. */
function withNeeds(part: MediaPart, path: string, draft: AskDraft): MediaPart {
  const { source, kind } = part;
  if ('url' in source) draft.need(kind === 'image' ? 'image-url' : 'file-url', path);
  if (!('data' in source)) return part;
  if (kind === 'image' && !IMAGE_TYPES.has(source.mime)) draft.need('image-type', path);
  if (kind === 'file' && source.mime !== 'application/pdf' && !isTextType(source.mime))
    draft.need('file-type', path);
  return part;
}

/** A file or document in any dialect's form; one that is given as text stays text. */
export function readFile(part: JsonObject, path: string, draft: AskDraft): Part {
  draft.dropUnknown(part, FILE, 'file.');
  const file = objectOf(part['file']) ?? part;
  if (file !== part) draft.dropUnknown(file, INNER_FILE, 'file.');
  const name = textOf(file['filename']) ?? textOf(part['title']);
  const cache = cacheMark(part);
  const { title, ...document } = factsOf(part);
  const inner = objectOf(part['source']);
  if (inner?.['type'] === 'text')
    return {
      type: 'text',
      text: textOf(inner['data']) ?? '',
      cache,
      document: { title, ...document },
    };
  draft.need('file', path);
  const base = { type: 'media', kind: 'file', name, document, cache } as const;
  const data = textOf(file['file_data']);
  if (data !== undefined) {
    const source = urlSource(data);
    const mime = TYPE_OF_ENDING[name?.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/pdf';
    return withNeeds({ ...base, source: 'url' in source ? { data, mime } : source }, path, draft);
  }
  const url = textOf(file['file_url']);
  if (url !== undefined) return withNeeds({ ...base, source: urlSource(url) }, path, draft);
  const id = textOf(file['file_id']);
  if (id !== undefined) return { ...base, source: idSource(id, path, draft) };
  return withNeeds({ ...base, source: readSource(part, path, draft) }, path, draft);
}

function factsOf(part: JsonObject): DocumentFacts {
  const citations = objectOf(part['citations'])?.['enabled'] === true ? true : undefined;
  return {
    title: textOf(part['title']) || undefined,
    context: textOf(part['context']) || undefined,
    citations,
  };
}

export function readAudio(part: JsonObject, path: string, draft: AskDraft): MediaPart {
  draft.need('audio', path);
  draft.dropUnknown(part, AUDIO, 'audio.');
  const audio = objectOf(part['input_audio']) ?? part;
  const mime = `audio/${textOf(audio['format']) ?? 'wav'}`;
  return { type: 'media', kind: 'audio', source: { data: textOf(audio['data']) ?? '', mime } };
}

/** A Messages `source`: base64, url or file id. */
function readSource(part: JsonObject, path: string, draft: AskDraft): MediaSource {
  const source = objectOf(part['source']);
  if (source) draft.dropUnknown(source, SOURCE, 'source.');
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

const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*),/i;

/** A data URL (RFC 2397) becomes data, so that every dialect can write it in its own form. */
export function urlSource(url: string): MediaSource {
  const head = DATA_URL.exec(url.slice(0, 1024));
  if (head === null) return { url };
  const [all, mime = '', rest = ''] = head;
  const type = mime.trim().toLowerCase() || 'text/plain';
  if (/;\s*base64\s*$/i.test(rest)) return { data: url.slice(all.length), mime: type };
  try {
    return { data: Buffer.from(decodeURIComponent(url.slice(all.length))).toString('base64'), mime: type };
  } catch {
    return { url };
  }
}

export function dataUrl(source: { readonly data: string; readonly mime: string }): string {
  return `data:${source.mime};base64,${source.data}`;
}

/** The text of a file that is text; undefined for any other. @throws Fault 400 when it is not UTF-8. */
export function textOfFile({ source, name }: MediaPart): string | undefined {
  if (!('data' in source) || !isTextType(source.mime)) return undefined;
  const text = utf8Of(source.data);
  if (text !== undefined) return text;
  throw invalid(`The file ${JSON.stringify(name ?? '')} is ${source.mime}, but not UTF-8 text.`, 'file_data');
}
