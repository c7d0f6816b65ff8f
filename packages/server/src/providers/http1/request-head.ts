import { UnsendableRequestError, type UpstreamRequest } from '../transport.ts';

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
/** Visible characters, each one byte: a space or a line end would end the target. */
const TARGET = /^[\x21-\x7e\x80-\xff]+$/;
const ILLEGAL_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
/** Ours to say: they belong to the connection, or are known from the body. */
const CONNECTION_FIELDS = new Set([
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Request line and headers with the empty line behind them, one character per byte. `host` is told unless a header
 * names one.
 *
 * @throws UnsendableRequestError when a part would not stay within its place
 */
export function formatRequestHead(
  { method, path, headers }: Pick<UpstreamRequest, 'method' | 'path' | 'headers'>,
  host: string,
  bodyLength: number | null,
): string {
  if (!TOKEN.test(method)) throw new UnsendableRequestError('the method is not a valid token');
  if (!TARGET.test(path))
    throw new UnsendableRequestError('the path contains a character that is not allowed');
  let fields = '';
  let named = host;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]];
    if (!TOKEN.test(name)) throw new UnsendableRequestError(`the header name "${name}" is not a valid token`);
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
