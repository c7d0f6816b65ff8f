import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../gateway/client.ts';

/** Nothing inline, nothing from elsewhere: a string that slips into the page can neither run nor call home. */
const SAFETY = [
  'content-security-policy',
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options',
  'nosniff',
  'referrer-policy',
  'no-referrer',
  'cross-origin-opener-policy',
  'same-origin',
] as const;

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  woff2: 'font/woff2',
};
/** Files beside the page; their names have no hash, so they are asked for again each time. */
const PLAIN_FILES: ReadonlySet<string> = new Set(['/theme.js', '/floe.svg']);
const ASSET = /^\/assets\/[\w.-]+\.(?:js|css|svg|woff2)$/;
/** Paths of the console itself; every other path keeps its own answer. */
const PAGE = /^\/(?:$|sign-in\/?$|first-run\/?$|invite\/?$|me\/?$|o(?:\/|$))/;
const PLACEHOLDER = '<base href="/" />';

/** The built console, or the page that says how to build it. */
export interface ConsoleRoutes {
  /** True when `answer` is the one to answer a GET of the path, whose prefix is taken off. */
  owns(path: string): boolean;
  answer(client: Client, path: string): void;
}

/** One file, read once, in the encodings it was built in. */
interface Built {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly br: Buffer | null;
  readonly gzip: Buffer | null;
}

/**
 * Delivers `packages/console/dist`.
 * @param parts `dir` where the build lies; `prefix` the path of the configured base URL, '' for none; `unbuilt` answers
 * in place of the page while there is no build
 */
export function createConsole(parts: {
  readonly dir: string;
  readonly prefix: string;
  readonly unbuilt: (client: Client) => void;
}): ConsoleRoutes {
  const { dir, prefix, unbuilt } = parts;
  const files = new Map<string, Built>();
  let names: ReadonlySet<string> | null = null;

  function built(path: string): Built | null {
    const known = files.get(path);
    if (known) return known;
    names ??= namesIn(dir);
    if (!names.has(path)) return null;
    const made = path === '/index.html' ? readPage(dir, prefix) : readBuilt(dir, path, names);
    files.set(path, made);
    return made;
  }

  return {
    owns: (path) => PAGE.test(path) || ASSET.test(path) || PLAIN_FILES.has(path),
    answer(client, path) {
      const isAsset = ASSET.test(path);
      const file = built(isAsset || PLAIN_FILES.has(path) ? path : '/index.html');
      if (file) return send(client, file, isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
      // A page of an older build may ask for files that are gone; it reloads on a 404.
      names = null;
      if (isAsset || PLAIN_FILES.has(path)) return missing(client);
      unbuilt(client);
    },
  };
}

/** Paths of the build's files; empty while there is none. */
function namesIn(dir: string): ReadonlySet<string> {
  try {
    const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
    return new Set(
      entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(dir.length).replaceAll('\\', '/')),
    );
  } catch {
    return new Set();
  }
}

function readBuilt(dir: string, path: string, names: ReadonlySet<string>): Built {
  const read = (name: string) => (names.has(name) ? readFileSync(join(dir, name)) : null);
  const plain = readFileSync(join(dir, path));
  return { ...described(path, plain), plain, br: read(`${path}.br`), gzip: read(`${path}.gz`) };
}

/** The page itself, with where the console lies written into it; that changes its bytes, so it is sent plain. */
function readPage(dir: string, prefix: string): Built {
  const text = readFileSync(join(dir, 'index.html'), 'utf8');
  const place = `${prefix}/`.replace(/[&"<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const plain = Buffer.from(text.replace(PLACEHOLDER, `<base href="${place}" />`));
  return { ...described('/index.html', plain), plain, br: null, gzip: null };
}

function described(path: string, bytes: Buffer): { readonly type: string; readonly etag: string } {
  const ending = path.slice(path.lastIndexOf('.') + 1);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { type: TYPES[ending] ?? 'application/octet-stream', etag: `"${hash}"` };
}

function send(client: Client, file: Built, caching: string): void {
  const { type, etag, plain, br, gzip } = file;
  const headers = [
    ...SAFETY,
    'cache-control',
    caching,
    'etag',
    etag,
    'vary',
    'accept-encoding',
    'x-request-id',
    client.id,
  ];
  if (matches(client.headers['if-none-match'], etag)) return client.answer(304, headers, '');
  headers.push('content-type', type);
  const accepted = String(client.headers['accept-encoding'] ?? '');
  if (br && takes(accepted, 'br')) return client.answer(200, [...headers, 'content-encoding', 'br'], br);
  if (gzip && takes(accepted, 'gzip'))
    return client.answer(200, [...headers, 'content-encoding', 'gzip'], gzip);
  client.answer(200, headers, plain);
}

/** Whether `Accept-Encoding` allows a coding; `q=0` forbids it. */
function takes(accepted: string, coding: string): boolean {
  return accepted.split(',').some((one) => {
    const [name = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

function matches(asked: string | undefined, etag: string): boolean {
  return (asked ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}

function missing(client: Client): void {
  const headers = [...SAFETY, 'cache-control', 'no-store', 'content-type', 'text/plain; charset=utf-8'];
  client.answer(
    404,
    [...headers, 'x-request-id', client.id],
    'This file is not part of the console that runs here.\n',
  );
}
