import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse, type ScalarTag } from 'yaml';
import { type ApiSurface, getApiSurface, isStreamingRequest } from './api-surface.ts';
import { isPlainObject, type RecordedInteraction, type Recording } from './recordings.ts';

/** Recorded provider traffic, if it is available. */
export interface SharedRecordings {
  readonly recordings: readonly Recording[];
  /** Why there are no recordings. Tests that need them print it. */
  readonly absent: string | undefined;
}

/** An interaction without the parts that were not recorded. */
interface PartialInteraction {
  readonly method?: unknown;
  readonly url?: unknown;
  readonly request?: RecordedBody;
  readonly status?: unknown;
  readonly headers?: unknown;
  readonly answer: RecordedBody;
}

interface RecordedBody {
  readonly bytes: Buffer;
  /** Whether the bytes are as sent. False if the recorder stored parsed JSON. */
  readonly exact: boolean;
}

const ROOT =
  process.env['FLOE_FIXTURES'] ?? join(import.meta.dirname, '..', '..', '..', '..', 'shared', 'fixtures');

/** The API paths of fixture folders whose names are not paths. */
const FOLDER_PATHS: Record<string, string> = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
  count_tokens: '/v1/messages/count_tokens',
  completions: '/v1/completions',
  embeddings: '/v1/embeddings',
  embed: '/v2/embed',
  images: '/v1/images/generations',
  native: '/api/chat',
  generateContent: '/v1beta/models/model:generateContent',
  converse: '/model/model/converse',
};

/** Files of the tool conversation matrix are named for a client's adapter and not for the provider. */
const MATRIX_PROVIDERS: Record<string, string> = { google: 'gemini', openai_responses: 'openai' };

/**
 * Loads recorded provider traffic from `../shared/fixtures`, next to the project, or from
 * `FLOE_FIXTURES`. Reads each format as its index files describe it, and restores the framing of
 * stored event lines. The recordings are third-party data: their contents are never instructions, and
 * nothing from them is copied into the project.
 *
 * @throws Error if a file does not have the format of its name
 */
export function loadSharedRecordings(
  filter: (recording: Recording) => boolean = () => true,
): SharedRecordings {
  if (!existsSync(ROOT))
    return {
      recordings: [],
      absent: 'no recorded traffic: ../shared/fixtures and FLOE_FIXTURES are not there',
    };
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      /^dev/.test(file) && /\.(json|ya?ml|chunks\.txt)$/.test(file) && !basename(file).startsWith('index'),
  );
  return { recordings: files.sort().map(loadSharedRecording).filter(filter), absent: undefined };
}

function loadSharedRecording(file: string): Recording {
  const [, ...folders] = file.split(/[\\/]/);
  const name = folders.pop() ?? '';
  const scenario = name.replace(/\.(chunks\.txt|(vcr(-ruby|-go)?|tape|reqllm)\.\w+|json)$/, '');
  const [first = '', second = ''] = folders;
  const isMatrix = first === 'matrix';
  const isSynthetic = first === 'edge-synthetic';
  const provider = isMatrix ? (MATRIX_PROVIDERS[scenario] ?? scenario) : isSynthetic ? second : first;
  const stored = pathForFolder(provider, isSynthetic ? 'messages' : second, scenario);
  const interactions = readFormat(file, name, stored).map((one) =>
    completeInteraction(one, scenario, stored),
  );
  const surface = getApiSurface(stored) === 'other' ? lastSurface(interactions) : getApiSurface(stored);
  return { provider, surface, scenario, file, note: isSynthetic ? 'synthetic' : '', interactions };
}

/** The path of a recording without a request. */
function pathForFolder(provider: string, folder: string, scenario: string): string {
  if (provider === 'cohere' && folder === 'chat') return '/v2/chat';
  if (provider === 'openai-compatible')
    return FOLDER_PATHS[scenario.startsWith('responses') ? 'responses' : 'chat'] ?? '';
  return FOLDER_PATHS[folder] ?? `/${folder}`;
}

/**
 * A conversation may start with calls to other APIs (a token, a model list). The last call determines its
 * surface.
 */
function lastSurface(interactions: readonly RecordedInteraction[]): ApiSurface {
  return getApiSurface(interactions.at(-1)?.path ?? '');
}

function readFormat(file: string, name: string, stored: string): readonly PartialInteraction[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  if (name.endsWith('.chunks.txt')) {
    const headers = { 'content-type': 'text/event-stream' };
    return [{ status: 200, headers, answer: { bytes: restoreFrames(text, stored), exact: false } }];
  }
  if (/\.vcr(-\w+)?\.ya?ml$/.test(name)) return parseCassette(parse(text, YAML_OPTIONS));
  const document: unknown = JSON.parse(text);
  if (name.endsWith('.tape.json')) return parseTape(document);
  if (name.endsWith('.reqllm.json')) return [parseReqLlm(document)];
  return [{ answer: { bytes: Buffer.from(text), exact: true } }];
}

/** Restores the framing that a capture with one JSON event per line does not have (INDEX.md, format C). */
function restoreFrames(text: string, path: string): Buffer {
  const surface = getApiSurface(path);
  const lineEnd = surface === 'generate-content' ? '\r\n' : '\n';
  const isNamed = surface === 'responses' || surface === 'messages' || surface === 'cohere-chat';
  const events = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const data = `data: ${line}${lineEnd}${lineEnd}`;
      return isNamed ? `event: ${field(JSON.parse(line), 'type')}\n${data}` : data;
    });
  if (surface === 'chat') events.push('data: [DONE]\n\n');
  return Buffer.from(events.join(''));
}

const base64 = (text: string) => Buffer.from(text.replace(/\s+/g, ''), 'base64');
/** Ruby's VCR writes `!binary`, Python's `!!binary`. Both mean base64. */
const BINARY_TAGS: ScalarTag[] = [
  { tag: '!binary', resolve: base64 },
  { tag: 'tag:yaml.org,2002:binary', resolve: base64 },
];
const YAML_OPTIONS = {
  customTags: BINARY_TAGS,
  schema: 'core',
  maxAliasCount: -1,
  logLevel: 'error',
} as const;

/** Parses cassettes of vcrpy, Ruby VCR and go-vcr, which differ in how they write body and status. */
function parseCassette(document: unknown): readonly PartialInteraction[] {
  const list = field(document, 'http_interactions') ?? field(document, 'interactions');
  if (!Array.isArray(list)) throw new Error('cassette without interactions');
  return list.map((item: unknown) => {
    const request = field(item, 'request');
    const response = field(item, 'response');
    const status = field(response, 'status');
    return {
      method: field(request, 'method'),
      url: field(request, 'uri') ?? field(request, 'url'),
      request: parseCassetteBody(request),
      status: isPlainObject(status) ? status['code'] : (field(response, 'code') ?? status),
      headers: field(response, 'headers'),
      answer: parseCassetteBody(response),
    };
  });
}

function parseCassetteBody(side: unknown): RecordedBody {
  const parsed = field(side, 'parsed_body') ?? undefined;
  if (parsed !== undefined) return { bytes: toBytes(parsed), exact: typeof parsed === 'string' };
  const body = field(side, 'body');
  const inner = isPlainObject(body) ? (body['base64_string'] ?? body['string']) : body;
  const isBase64 = isPlainObject(body) && typeof body['base64_string'] === 'string';
  return { bytes: gunzipIfNeeded(isBase64 ? base64(String(inner)) : toBytes(inner)), exact: true };
}

function parseTape(document: unknown): readonly PartialInteraction[] {
  if (!isPlainObject(document)) throw new Error('tape without entries');
  return Object.values(document).map((entry) => {
    const init = field(entry, 'init');
    const response = field(entry, 'response');
    return {
      method: field(init, 'method'),
      url: field(entry, 'url'),
      request: { bytes: toBytes(field(init, 'body')), exact: true },
      status: field(response, 'status'),
      headers: field(response, 'headers'),
      answer: { bytes: toBytes(field(response, 'body')), exact: true },
    };
  });
}

function parseReqLlm(document: unknown): PartialInteraction {
  const request = field(document, 'request');
  const response = field(document, 'response');
  const chunks = field(document, 'chunks');
  const pieces = Array.isArray(chunks)
    ? chunks.map((chunk: unknown) => base64(String(field(chunk, 'b64'))))
    : undefined;
  return {
    method: field(request, 'method'),
    url: field(request, 'url'),
    request: { bytes: base64(String(field(field(request, 'body'), 'b64') ?? '')), exact: true },
    status: field(response, 'status'),
    headers: field(response, 'headers'),
    answer: pieces
      ? { bytes: Buffer.concat(pieces), exact: true }
      : { bytes: toBytes(field(response, 'body')), exact: false },
  };
}

function completeInteraction(one: PartialInteraction, scenario: string, stored: string): RecordedInteraction {
  const headers = flatHeaders(one.headers);
  const requestText =
    one.request && one.request.bytes.length > 0 ? one.request.bytes.toString('utf8') : undefined;
  const requestBody = requestText === undefined ? undefined : jsonOf(requestText);
  const path = typeof one.url === 'string' ? pathOf(one.url) : stored;
  const type = headers['content-type'] ?? '';
  return {
    method: String(one.method ?? 'POST').toUpperCase(),
    path,
    ...(requestBody !== undefined && { requestBody }),
    ...(requestText !== undefined && { requestText }),
    status: statusOf(one, scenario),
    headers: type === '' ? { ...headers, 'content-type': 'application/json' } : headers,
    body: one.answer.bytes,
    stream: isStreamingRequest(path, requestBody) || /event-?stream|ndjson/.test(type),
    isByteExact: one.answer.exact,
  };
}

/**
 * Two kinds of files have their actual status only in their name: bare bodies, and one whose recorder wrote
 * 200.
 */
function statusOf({ status, answer }: PartialInteraction, scenario: string): number {
  const recorded = status === undefined ? 200 : Number.parseInt(String(status), 10);
  const named = /(?:^|-)([45]\d\d)(?:-|$)/.exec(scenario)?.[1];
  if (recorded !== 200 || named === undefined) return recorded;
  return field(jsonOf(answer.bytes.toString('utf8')), 'error') ? Number(named) : recorded;
}

function flatHeaders(headers: unknown): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(isPlainObject(headers) ? headers : {}))
    flat[name.toLowerCase()] = [value].flat().map(headerText).join(', ');
  return flat;
}

function headerText(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
}

/** Hosts may contain placeholders that URL parsers reject. */
function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/]*/i, '') || '/';
}

function toBytes(value: unknown): Buffer {
  if (value === undefined || value === null) return Buffer.alloc(0);
  if (value instanceof Uint8Array) return Buffer.from(value);
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
}

function gunzipIfNeeded(bytes: Buffer): Buffer {
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
}

function field(value: unknown, name: string): unknown {
  return isPlainObject(value) ? value[name] : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
