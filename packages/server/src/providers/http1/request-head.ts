import { UnsendableRequestError, type UpstreamRequest } from '../transport.ts';

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
/** Matches visible single-byte characters. A space or a line break would end the request target. */
const TARGET = /^[\x21-\x7e\x80-\xff]+$/;
const ILLEGAL_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
/** Headers that the connection sets itself or that follow from the body. */
const CONNECTION_FIELDS = new Set([
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Returns the request line and the headers, including the final empty line, as a string with one character
 * per byte. Adds the header `host` unless it is present. Sets `connection`, and `content-length` if there is a body.
 * @throws UnsendableRequestError if a part contains characters that are not allowed in it
 */
export function formatRequestHead(
  { method, path, headers }: Pick<UpstreamRequest, 'method' | 'path' | 'headers'>,
  host: string,
  bodyLength: number | null,
): string {
  if (!TOKEN.test(method))
    throw new UnsendableRequestError(
      `the method "${method}" contains a character that is not allowed in an HTTP method`,
    );
  if (!TARGET.test(path))
    throw new UnsendableRequestError('the path contains a character that is not allowed in an HTTP request');
  let fields = '';
  let named = host;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]];
    if (!TOKEN.test(name))
      throw new UnsendableRequestError(
        `the header name "${name}" contains a character that is not allowed in a header name`,
      );
    if (ILLEGAL_IN_VALUE.test(value))
      throw new UnsendableRequestError(
        `the header ${name} contains a character that is not allowed in an HTTP header`,
      );
    const lower = name.toLowerCase();
    if (lower === 'host') named = value;
    else if (!CONNECTION_FIELDS.has(lower)) fields += `${name}: ${value}\r\n`;
  }
  if (bodyLength !== null) fields += `content-length: ${bodyLength}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: ${named}\r\nconnection: keep-alive\r\n${fields}\r\n`;
}
