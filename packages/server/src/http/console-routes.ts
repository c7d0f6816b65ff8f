import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOpenFileLimitError } from '../core/open-file-limit.ts';
import type { ClientCall } from '../gateway/client-call.ts';

/** Allows nothing inline and no other origins, so that injected text can neither run nor send data. */
const SECURITY_HEADERS = [
  'content-security-policy',
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options',
  'nosniff',
  'referrer-policy',
  'no-referrer',
  'cross-origin-opener-policy',
  'same-origin',
] as const;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  woff2: 'font/woff2',
};
/** Files without a hash in their names. Browsers must revalidate them. */
const UNHASHED_FILES: ReadonlySet<string> = new Set(['/theme.js', '/floe.svg']);
const ASSET_PATH = /^\/assets\/[\w.-]+\.(?:js|css|svg|woff2)$/;
/** Paths of the console. All other paths have their own handlers. */
const PAGE_PATH = /^\/(?:$|sign-in\/?$|first-run\/?$|invite\/?$|me\/?$|o(?:\/|$))/;
const PLACEHOLDER = '<base href="/" />';

/**
 * The handlers for the built console. If it has not been built, a page explains how to build it.
 */
export interface ConsoleRoutes {
  /** Whether `answer` handles a GET of this path. The path has no base-URL prefix. */
  matches(path: string): boolean;
  answer(client: ClientCall, path: string): void;
}

/** One file in memory, in the encodings of the build. */
interface ConsoleFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly br: Buffer | null;
  readonly gzip: Buffer | null;
}

/**
 * Creates the handlers that serve `packages/console/dist`.
 * @param parts `dir`: directory of the build; `prefix`: path of the configured base URL, '' for
 * none;
 * `answerUnbuilt`: responds instead of the page if there is no build
 */
export function createConsoleRoutes(parts: {
  readonly dir: string;
  readonly prefix: string;
  readonly answerUnbuilt: (client: ClientCall) => void;
}): ConsoleRoutes {
  const { dir, prefix, answerUnbuilt } = parts;
  const files = new Map<string, ConsoleFile>();
  let names: ReadonlySet<string> = new Set();

  /** Lists the files again. If the build was replaced, forgets the files of the earlier build. */
  function listAgain(): void {
    const listed = listFiles(dir);
    if (listed === null) return;
    names = listed;
    if ([...files.keys()].some((path) => !names.has(path))) files.clear();
  }

  function findFile(path: string): ConsoleFile | null {
    const known = files.get(path);
    if (known) return known;
    if (!names.has(path)) listAgain();
    if (!names.has(path)) return null;
    try {
      const made = path === '/index.html' ? readPage(dir, prefix) : readAsset(dir, path, names);
      files.set(path, made);
      return made;
    } catch {
      // The build was replaced after its files were listed.
      listAgain();
      return null;
    }
  }

  return {
    matches: (path) => PAGE_PATH.test(path) || ASSET_PATH.test(path) || UNHASHED_FILES.has(path),
    answer(client, path) {
      const isAsset = ASSET_PATH.test(path);
      const file = findFile(isAsset || UNHASHED_FILES.has(path) ? path : '/index.html');
      if (file) return sendFile(client, file, isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
      // A page of an older build may request files that no longer exist. It reloads after a 404.
      if (isAsset || UNHASHED_FILES.has(path)) return sendNotFound(client);
      answerUnbuilt(client);
    },
  };
}

/** URL paths of the files of the build. Empty if there is none. Null if Floe cannot open more files. */
function listFiles(dir: string): ReadonlySet<string> | null {
  try {
    const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
    return new Set(
      entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(dir.length).replaceAll('\\', '/')),
    );
  } catch (error) {
    return isOpenFileLimitError(error) ? null : new Set();
  }
}

function readAsset(dir: string, path: string, names: ReadonlySet<string>): ConsoleFile {
  const read = (name: string) => (names.has(name) ? readFileSync(join(dir, name)) : null);
  const plain = readFileSync(join(dir, path));
  return { ...fileMetadata(path, plain), plain, br: read(`${path}.br`), gzip: read(`${path}.gz`) };
}

/**
 * Reads the page and inserts the base path. The result differs from the built file, so it is sent
 * uncompressed.
 */
function readPage(dir: string, prefix: string): ConsoleFile {
  const text = readFileSync(join(dir, 'index.html'), 'utf8');
  const place = `${prefix}/`.replace(/[&"<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const plain = Buffer.from(text.replace(PLACEHOLDER, `<base href="${place}" />`));
  return { ...fileMetadata('/index.html', plain), plain, br: null, gzip: null };
}

function fileMetadata(path: string, bytes: Buffer): { readonly type: string; readonly etag: string } {
  const ending = path.slice(path.lastIndexOf('.') + 1);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { type: CONTENT_TYPES[ending] ?? 'application/octet-stream', etag: `"${hash}"` };
}

function sendFile(client: ClientCall, file: ConsoleFile, caching: string): void {
  const { type, etag, plain, br, gzip } = file;
  const headers = [
    ...SECURITY_HEADERS,
    'cache-control',
    caching,
    'etag',
    etag,
    'vary',
    'accept-encoding',
    'x-request-id',
    client.id,
  ];
  if (etagMatches(client.headers['if-none-match'], etag)) return client.sendAnswer(304, headers, '');
  headers.push('content-type', type);
  const accepted = String(client.headers['accept-encoding'] ?? '');
  if (br && acceptsEncoding(accepted, 'br'))
    return client.sendAnswer(200, [...headers, 'content-encoding', 'br'], br);
  if (gzip && acceptsEncoding(accepted, 'gzip'))
    return client.sendAnswer(200, [...headers, 'content-encoding', 'gzip'], gzip);
  client.sendAnswer(200, headers, plain);
}

/** Whether `Accept-Encoding` allows a coding. `q=0` forbids it. */
function acceptsEncoding(accepted: string, coding: string): boolean {
  return accepted.split(',').some((one) => {
    const [name = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

function etagMatches(asked: string | undefined, etag: string): boolean {
  return (asked ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}

function sendNotFound(client: ClientCall): void {
  const headers = [
    ...SECURITY_HEADERS,
    'cache-control',
    'no-store',
    'content-type',
    'text/plain; charset=utf-8',
  ];
  client.sendAnswer(
    404,
    [...headers, 'x-request-id', client.id],
    'This file is not part of the current version of the console. Reload the console.\n',
  );
}
