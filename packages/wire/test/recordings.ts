// Reads the recorded provider traffic beside the project (its INDEX.md describes the formats), for tests only.
import { Buffer } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { isObject } from '@floe/contract/json';
import { parse as parseYaml } from 'yaml';

export type RecordedDialect = 'chat' | 'responses' | 'messages' | 'gemini' | 'converse' | 'cohere';

/** One recorded exchange; `status` and `request` are undefined where the recorder kept none. */
export interface Recording {
  readonly name: string;
  readonly request: unknown;
  readonly url: string;
  readonly status: number | undefined;
  readonly stream: boolean;
  readonly body: Buffer;
}

const ROOT =
  process.env.FLOE_FIXTURES ??
  resolve(fileURLToPath(new URL('.', import.meta.url)), '../../../../shared/fixtures');
const BINARY = ['!binary', 'tag:yaml.org,2002:binary'].map((tag) => ({
  tag,
  resolve: (text: string) => Buffer.from(text.replace(/\s+/g, ''), 'base64'),
}));

/** Every recorded answer of the Chat dialect; undefined when the folder is absent. */
export function chatRecordings(): Recording[] | undefined {
  return allRecordings()
    ?.filter(({ url, name }) => (url === '' ? /\/chat\//.test(name) : /\/chat\/completions/.test(url)))
    .filter(({ name }) => !/\/(cohere|perplexity|anthropic|gemini|bedrock|vertex)\//.test(name));
}

/** The dialect a recording is in, by its URL or, where none was kept, its folder. */
export function dialectOf({ url, name }: Recording): RecordedDialect | undefined {
  const path = url === '' ? name : (url.split('?')[0] ?? url);
  if (/:(stream)?generateContent$/i.test(path)) return 'gemini';
  if (/\/converse(-stream)?$/.test(path)) return 'converse';
  if (/\/v2\/chat$/.test(path)) return 'cohere';
  if (url !== '')
    return /\/chat\/completions$/.test(path)
      ? 'chat'
      : /\/responses$/.test(path)
        ? 'responses'
        : /\/messages$/.test(path)
          ? 'messages'
          : undefined;
  if (/\/cohere\/chat\//.test(name)) return 'cohere';
  if (/\/converse\//.test(name)) return 'converse';
  if (/\/cohere\/|\/embeddings\/|\/images\//.test(name)) return undefined;
  if (/\/responses[/-]/.test(name)) return 'responses';
  if (/\/anthropic\//.test(name)) return 'messages';
  if (/\/generateContent\//.test(name)) return 'gemini';
  return /\/chat\//.test(name) ? 'chat' : undefined;
}

/** Every recorded exchange; undefined when the folder is absent. */
export function allRecordings(): Recording[] | undefined {
  if (!existsSync(ROOT)) return undefined;
  return ['dev', 'dev-extra'].flatMap((pack) => {
    const index: unknown = JSON.parse(readFileSync(join(ROOT, pack, 'index.json'), 'utf8'));
    return list(index).flatMap((entry) => {
      const file = String(field(entry, 'file'));
      return answers(join(ROOT, pack, file), list(field(entry, 'interactions')).length).map((answer, at) => ({
        ...answer,
        name: `${pack}/${file}#${at}`,
      }));
    });
  });
}

function answers(path: string, count: number): Omit<Recording, 'name'>[] {
  const text = readFileSync(path, 'utf8');
  const unknownRequest = { url: '', status: undefined, request: undefined };
  if (path.endsWith('.chunks.txt')) {
    const frames = text.split('\n').filter((line) => line.trim() !== '');
    const body = Buffer.from(`${frames.map((line) => `data: ${line}\n\n`).join('')}data: [DONE]\n\n`);
    return [{ ...unknownRequest, stream: true, body }];
  }
  if (/\.ya?ml$/.test(path)) {
    const tape: unknown = parseYaml(text, {
      customTags: BINARY,
      maxAliasCount: -1,
      schema: 'core',
      logLevel: 'error',
    });
    return list(field(tape, 'http_interactions') ?? field(tape, 'interactions'))
      .slice(0, count)
      .map(fromTape);
  }
  const value: unknown = JSON.parse(text);
  if (path.endsWith('.tape.json') && isObject(value))
    return Object.values(value).map((entry) =>
      answer(field(entry, 'url'), field(field(entry, 'init'), 'body'), field(entry, 'response')),
    );
  const chunks = list(field(value, 'chunks')).map((chunk) =>
    Buffer.from(String(field(chunk, 'b64')), 'base64'),
  );
  if (chunks.length > 0) return [{ ...unknownRequest, stream: true, body: Buffer.concat(chunks) }];
  return [{ ...unknownRequest, stream: false, body: Buffer.from(text) }];
}

function fromTape(interaction: unknown): Omit<Recording, 'name'> {
  const request = field(interaction, 'request');
  const sent = field(request, 'parsed_body') ?? field(request, 'body');
  return answer(field(request, 'uri') ?? field(request, 'url'), sent, field(interaction, 'response'));
}

function answer(url: unknown, sent: unknown, response: unknown): Omit<Recording, 'name'> {
  const status = field(response, 'status');
  const code = isObject(status) ? status.code : (field(response, 'code') ?? status);
  const body = bytes(field(response, 'parsed_body') ?? field(response, 'body'));
  const start = body.toString('latin1', 0, 200);
  // Binary frames begin with a length, whose first byte is 0.
  const stream = start.startsWith('\0') || /^(:|data:|event:)/.test(start.trimStart());
  const request = parsed(bytes(sent).toString('utf8'));
  return { url: String(url), request, status: Number.parseInt(String(code), 10), stream, body };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function bytes(value: unknown): Buffer {
  if (Buffer.isBuffer(value)) return value[0] === 0x1f && value[1] === 0x8b ? gunzipSync(value) : value;
  if (typeof value === 'string') return Buffer.from(value);
  if (isObject(value) && typeof value.base64_string === 'string')
    return bytes(Buffer.from(value.base64_string, 'base64'));
  if (isObject(value) && 'string' in value && Object.keys(value).length <= 2) return bytes(value.string);
  if (isObject(value) && typeof value.encoding === 'string') return Buffer.alloc(0);
  return Buffer.from(value === undefined || value === null ? '' : JSON.stringify(value));
}

function field(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
