import { Buffer, isUtf8 } from 'node:buffer';

const TEXT_MEDIA_TYPE =
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|x-ndjson|toml|sql)$|application\/[\w.-]+\+(?:json|xml)$)/;

/** Whether a file of this media type is text that can be read as it is. */
export function isTextMediaType(mime: string): boolean {
  return TEXT_MEDIA_TYPE.test(mime);
}

/** Text of base64 data; undefined when it is not UTF-8. */
export function decodeUtf8(base64: string): string | undefined {
  const bytes = Buffer.from(base64, 'base64');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}
