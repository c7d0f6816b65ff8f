import { createHash, createHmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { AwsKeys } from './aws-credential-sources.ts';

/**
 * A request in the form that Signature Version 4 requires: the path as it is sent, and header names in
 * lowercase.
 */
export interface SigV4Request {
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  /** The signed headers, including `host` and `x-amz-date`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** SHA-256 of the body, hexadecimal. */
  readonly bodyHash: string;
}

/** What a signature is valid for: region, service and time. */
export interface SigV4Scope {
  readonly region: string;
  readonly service: string;
  /** The time of the signature, such as `20150830T123600Z`. */
  readonly date: string;
}

/**
 * Returns the `authorization` header for AWS Signature Version 4 (docs.aws.amazon.com, "Create a
 * signed AWS API request"). The signed path is encoded once more than the sent path, as AWS
 * requires for every service except S3.
 */
export function createSigV4Authorization(context: SigV4Request, scope: SigV4Scope, keys: AwsKeys): string {
  const day = scope.date.slice(0, 8);
  const credential = `${day}/${scope.region}/${scope.service}/aws4_request`;
  const headers = [...context.headers].sort(([a], [b]) => (a < b ? -1 : 1));
  const names = headers.map(([name]) => name).join(';');
  const [path = '/', query = ''] = context.path.split(/\?(.*)/s);
  const canonical = [
    context.method,
    path.split('/').map(encodeRfc3986).join('/'),
    canonicalQuery(query),
    ...headers.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}`),
    '',
    names,
    context.bodyHash,
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', scope.date, credential, sha256(canonical)].join('\n');
  const signature = createHmac('sha256', signingKey(keys.secret, day, scope))
    .update(toSign)
    .digest('hex');
  return `AWS4-HMAC-SHA256 Credential=${keys.id}/${credential}, SignedHeaders=${names}, Signature=${signature}`;
}

/** Signs a request. Returns the flat header list with the signature headers added. */
export function addSigV4Headers(
  request: {
    readonly method: string;
    readonly origin: string;
    readonly path: string;
    readonly headers: readonly string[];
    readonly body: Buffer | Readable | null;
  },
  scope: Omit<SigV4Scope, 'date'>,
  keys: AwsKeys,
  nowMs: number,
): string[] {
  const date = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const { body } = request;
  // A streamed body cannot be hashed in advance. Services that accept uploads accept this value instead.
  const bodyHash = body === null || Buffer.isBuffer(body) ? sha256(body ?? '') : 'UNSIGNED-PAYLOAD';
  const own: [string, string][] = [
    ['x-amz-content-sha256', bodyHash],
    ['x-amz-date', date],
    ...(keys.token === undefined ? [] : [['x-amz-security-token', keys.token] satisfies [string, string]]),
  ];
  const signed: [string, string][] = [['host', new URL(request.origin).host], ...own];
  for (let at = 0; at < request.headers.length; at += 2) {
    const name = (request.headers[at] ?? '').toLowerCase();
    if (name === 'content-type' || name.startsWith('x-amz'))
      signed.push([name, request.headers[at + 1] ?? '']);
  }
  const parts = { method: request.method, path: request.path, headers: signed, bodyHash };
  const authorization = createSigV4Authorization(parts, { ...scope, date }, keys);
  return [...request.headers, ...own.flat(), 'authorization', authorization];
}

/** The cached signing key. It changes once a day, and caching it saves five hashes per request. */
let cachedSigningKey: { readonly of: string; readonly key: Buffer } | undefined;

function signingKey(secret: string, day: string, { region, service }: SigV4Scope): Buffer {
  const of = [secret, day, region, service].join('\n');
  if (cachedSigningKey?.of === of) return cachedSigningKey.key;
  let key = Buffer.from(`AWS4${secret}`);
  for (const step of [day, region, service, 'aws4_request'])
    key = createHmac('sha256', key).update(step).digest();
  cachedSigningKey = { of, key };
  return key;
}

function canonicalQuery(query: string): string {
  if (query === '') return '';
  return query
    .split('&')
    .map((pair) => {
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      return [encodeRfc3986(decodeURIComponent(name)), encodeRfc3986(decodeURIComponent(value))] as const;
    })
    .sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/**
 * Percent-encodes everything except unreserved characters (RFC 3986). `encodeURIComponent` leaves some other
 * characters unchanged.
 */
function encodeRfc3986(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
