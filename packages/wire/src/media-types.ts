import { Buffer, isUtf8 } from 'node:buffer';

const TEXT_MEDIA_TYPE =
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|x-ndjson|toml|sql)$|application\/[\w.-]+\+(?:json|xml)$)/;

/** Returns whether files of this media type are readable text. */
export function isTextMediaType(mime: string): boolean {
  return TEXT_MEDIA_TYPE.test(mime);
}

/** Decodes base64 as UTF-8; undefined if it is not valid UTF-8. */
export function decodeBase64Utf8(base64: string): string | undefined {
  const bytes = Buffer.from(base64, 'base64');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}
