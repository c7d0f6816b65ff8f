import { Buffer } from 'node:buffer';
import type { Json, JsonObject } from '@floe/contract/json';
import { asObject, asString, isJsonArray, isNonEmpty } from './json-narrowing.ts';
import { decodeBase64Utf8, isTextMediaType } from './media-types.ts';
import type { ContentPart, DocumentMetadata, MediaPart, MediaSource } from './request.ts';
import {
  createInvalidFieldFault,
  type RequestReadContext,
  readCacheBreakpoint,
} from './request-read-context.ts';

const IMAGE_FIELDS = new Set(['type', 'image_url', 'url', 'detail', 'file_id', 'source', 'cache_control']);
/** Members with the source of an image, in order of precedence. */
const IMAGE_SOURCE_FIELDS = ['image_url', 'url', 'file_id', 'source'] as const;
const IMAGE_URL_FIELDS = new Set(['url', 'detail']);
const FILE_FIELDS = new Set(
  'type file filename title context citations file_data file_url file_id source cache_control'.split(' '),
);
/** Members with the source of a file, in order of precedence. */
const FILE_SOURCE_FIELDS = ['file_data', 'file_url', 'file_id', 'source'] as const;
const INNER_FILE_FIELDS = new Set(['filename', 'file_data', 'file_url', 'file_id']);
const SOURCE_FIELDS = new Set(['type', 'media_type', 'data', 'url', 'file_id', 'content']);
const SOURCE_BLOCK_FIELDS = new Set(['type', 'text']);
const CITATION_FIELDS = new Set(['enabled']);
const AUDIO_FIELDS = new Set(['type', 'input_audio', 'data', 'format']);
/** Image types that every provider with image support accepts. */
const COMMON_IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
/** Media types of file data without a type, by file extension. */
const MEDIA_TYPE_BY_EXTENSION: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
};

/** Reads an image in the form that any dialect uses. */
export function readImagePart(part: JsonObject, path: string, draft: RequestReadContext): MediaPart {
  draft.requireFeature('image', path);
  draft.reportUnknownFields(part, IMAGE_FIELDS, 'image.');
  const field = part['image_url'] ?? part['url'];
  const inner = asObject(field);
  if (inner) draft.reportUnknownFields(inner, IMAGE_URL_FIELDS, 'image.');
  const url = asString(field) ?? asString(inner?.['url']);
  const used = IMAGE_SOURCE_FIELDS.find((name) => isNonEmpty(part[name]));
  if (used !== undefined) draft.reportUnusedMembers(part, used, IMAGE_SOURCE_FIELDS, 'image.');
  if (inner && isNonEmpty(part['detail']))
    draft.reportOuterMembers(inner, part, ['detail'], 'image.image_url.');
  const detail = asString(part['detail']) ?? asString(inner?.['detail']);
  const base = { type: 'media', kind: 'image', detail, cache: readCacheBreakpoint(part, draft) } as const;
  const id = asString(part['file_id']);
  if (url !== undefined) return withRequiredFeatures({ ...base, source: parseMediaUrl(url) }, path, draft);
  if (id !== undefined) return { ...base, source: fileIdSource(id, path, draft) };
  return withRequiredFeatures({ ...base, source: readMediaSource(part, path, draft) }, path, draft);
}

/** Not every provider fetches URLs or accepts every type. */
function withRequiredFeatures(part: MediaPart, path: string, draft: RequestReadContext): MediaPart {
  const { source, kind } = part;
  if ('url' in source) draft.requireFeature(kind === 'image' ? 'image-url' : 'file-url', path);
  if (!('data' in source)) return part;
  if (kind === 'image' && !COMMON_IMAGE_TYPES.has(source.mime)) draft.requireFeature('image-type', path);
  if (kind === 'file' && source.mime !== 'application/pdf' && !isTextMediaType(source.mime))
    draft.requireFeature('file-type', path);
  return part;
}

/**
 * Reads a file or document part in the format of any dialect. A file whose content is given as text becomes a text
 * part.
 */
export function readFilePart(
  part: JsonObject,
  path: string,
  draft: RequestReadContext,
): ContentPart | undefined {
  draft.reportUnknownFields(part, FILE_FIELDS, 'file.');
  const file = asObject(part['file']) ?? part;
  if (file !== part) draft.reportUnknownFields(file, INNER_FILE_FIELDS, 'file.');
  const name = asString(file['filename']) ?? asString(part['title']);
  const cache = readCacheBreakpoint(part, draft);
  const { title, ...document } = readDocumentMetadata(part, draft);
  const inner = asObject(part['source']);
  if (inner?.['type'] === 'text' || inner?.['type'] === 'content') {
    draft.reportUnknownFields(inner, SOURCE_FIELDS, 'source.');
    const text = inner['type'] === 'text' ? asString(inner['data']) : readSourceText(inner['content'], draft);
    if (text !== undefined) return { type: 'text', text, cache, document: { title, ...document } };
    draft.requireFeature('unknown-content', path);
    return undefined;
  }
  draft.requireFeature('file', path);
  const base = { type: 'media', kind: 'file', name, document, cache } as const;
  const used = FILE_SOURCE_FIELDS.find((name) => isNonEmpty(file[name]));
  if (used !== undefined) draft.reportUnusedMembers(file, used, FILE_SOURCE_FIELDS, 'file.');
  draft.reportOuterMembers(part, file, INNER_FILE_FIELDS, 'file.');
  const data = asString(file['file_data']);
  if (data !== undefined) {
    const source = parseMediaUrl(data);
    const mime = MEDIA_TYPE_BY_EXTENSION[name?.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/pdf';
    return withRequiredFeatures({ ...base, source: 'url' in source ? { data, mime } : source }, path, draft);
  }
  const url = asString(file['file_url']);
  if (url !== undefined) return withRequiredFeatures({ ...base, source: parseMediaUrl(url) }, path, draft);
  const id = asString(file['file_id']);
  if (id !== undefined) return { ...base, source: fileIdSource(id, path, draft) };
  return withRequiredFeatures({ ...base, source: readMediaSource(part, path, draft) }, path, draft);
}

/** Returns the text of a document whose source is a list of content blocks. Undefined if a block is not text. */
function readSourceText(content: Json | undefined, draft: RequestReadContext): string | undefined {
  if (!isJsonArray(content)) return asString(content);
  const texts = content.map((entry) => {
    const block = asObject(entry) ?? {};
    draft.reportUnknownFields(block, SOURCE_BLOCK_FIELDS, 'source.content.');
    return asString(block['text']);
  });
  return texts.includes(undefined) ? undefined : texts.join('\n');
}

function readDocumentMetadata(part: JsonObject, draft: RequestReadContext): DocumentMetadata {
  const wanted = asObject(part['citations']) ?? {};
  draft.reportUnknownFields(wanted, CITATION_FIELDS, 'citations.');
  const citations = wanted['enabled'] === true ? true : undefined;
  return {
    title: asString(part['title']) || undefined,
    context: asString(part['context']) || undefined,
    citations,
  };
}

/** Reads audio in the form that any dialect uses. */
export function readAudioPart(part: JsonObject, path: string, draft: RequestReadContext): MediaPart {
  draft.requireFeature('audio', path);
  draft.reportUnknownFields(part, AUDIO_FIELDS, 'audio.');
  const audio = asObject(part['input_audio']) ?? part;
  if (audio !== part) draft.reportUnknownFields(audio, AUDIO_FIELDS, 'audio.');
  draft.reportOuterMembers(part, audio, ['data', 'format'], 'audio.');
  const mime = `audio/${asString(audio['format']) ?? 'wav'}`;
  return { type: 'media', kind: 'audio', source: { data: asString(audio['data']) ?? '', mime } };
}

/** Reads a Messages `source`: base64, URL or file id. */
function readMediaSource(part: JsonObject, path: string, draft: RequestReadContext): MediaSource {
  const source = asObject(part['source']);
  if (source) draft.reportUnknownFields(source, SOURCE_FIELDS, 'source.');
  const used = ['url', 'data', 'file_id'].find((name) => asString(source?.[name]) !== undefined);
  if (source && used)
    draft.reportUnusedMembers(source, used, ['url', 'data', 'file_id', 'content'], 'source.');
  const url = asString(source?.['url']);
  if (url !== undefined) return parseMediaUrl(url);
  const data = asString(source?.['data']);
  if (data !== undefined)
    return { data, mime: asString(source?.['media_type']) ?? 'application/octet-stream' };
  const id = asString(source?.['file_id']);
  if (id !== undefined) return fileIdSource(id, path, draft);
  throw createInvalidFieldFault(`\`${path}\` must contain a URL, base64 data or a file id.`, path);
}

function fileIdSource(id: string, path: string, draft: RequestReadContext): MediaSource {
  draft.requireFeature('media-id', path);
  return { id };
}

const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*),/i;

/** Parses a URL. A data URL (RFC 2397) is decoded, so that every dialect can write it in its own form. */
export function parseMediaUrl(url: string): MediaSource {
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

/** Formats base64 data as a data URL (RFC 2397). */
export function formatDataUrl(source: { readonly data: string; readonly mime: string }): string {
  return `data:${source.mime};base64,${source.data}`;
}

/**
 * Returns the text of a text file; undefined for any other file.
 * @throws Fault 400 if it is not UTF-8
 */
export function decodeTextFile({ source, name }: MediaPart): string | undefined {
  if (!('data' in source) || !isTextMediaType(source.mime)) return undefined;
  const text = decodeBase64Utf8(source.data);
  if (text !== undefined) return text;
  throw createInvalidFieldFault(
    `The file${name === undefined ? '' : ` ${JSON.stringify(name)}`} of type ${source.mime} must be valid UTF-8 text.`,
    'file_data',
  );
}
