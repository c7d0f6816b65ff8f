import { Buffer, isUtf8 } from 'node:buffer';

const TEXT_MEDIA_TYPE =
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|x-ndjson|toml|sql)$|application\/[\w.-]+\+(?:json|xml)$)/;

/** Media types of files that models read, by file extension. */
const MEDIA_TYPE_BY_EXTENSION: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
};

/**
 * Returns the media type for the file extension in the path of a URL. Returns undefined if there is no known
 * extension.
 * @example
 * findMediaTypeOfUrl('https://example.com/cat.PNG?size=2'); // 'image/png'
 */
export function findMediaTypeOfUrl(url: string): string | undefined {
  const [, extension = ''] = /^[^?#]*\.([a-z0-9]+)(?:[?#]|$)/i.exec(url) ?? [];
  const name = extension.toLowerCase();
  return Object.hasOwn(MEDIA_TYPE_BY_EXTENSION, name) ? MEDIA_TYPE_BY_EXTENSION[name] : undefined;
}

/** Returns whether files of this media type are readable text. */
export function isTextMediaType(mime: string): boolean {
  return TEXT_MEDIA_TYPE.test(mime);
}

/** Decodes base64 as UTF-8; undefined if it is not valid UTF-8. */
export function decodeBase64Utf8(base64: string): string | undefined {
  const bytes = Buffer.from(base64, 'base64');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}
