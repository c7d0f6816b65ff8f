import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertSseToEventStream, isAmazonEventStream } from './amazon-event-stream.ts';
import { type ApiSurface, getApiSurface } from './api-surface.ts';

/** One request and its response. */
export interface RecordedInteraction {
  readonly method: string;
  /** Path with its query, without the origin. */
  readonly path: string;
  /** The parsed JSON of the request. Absent if it was not recorded or is not JSON. */
  readonly requestBody?: unknown;
  /** The text of the request. Absent if it was not recorded. */
  readonly requestText?: string;
  readonly status: number;
  /** Headers of the answer, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether the request asked for a stream. The answer may still be a JSON error. */
  readonly stream: boolean;
  /**
   * Whether `body` has exactly the bytes of the provider. False if a recorder serialized the JSON again or
   * dropped the framing.
   */
  readonly isByteExact: boolean;
}

/** A recorded conversation with a provider. */
export interface Recording {
  readonly provider: string;
  readonly surface: ApiSurface;
  readonly scenario: string;
  /** Path below the root of the recordings. */
  readonly file: string;
  /** What is special about it. */
  readonly note: string;
  readonly interactions: readonly RecordedInteraction[];
}

/** The file format of the project's recordings. packages/testkit/README.md describes its members. */
interface RecordingFile {
  readonly note?: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly stream: boolean;
    readonly body?: Readonly<Record<string, unknown>>;
  };
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | readonly string[];
  readonly bodyBase64?: string;
}

const ROOT = join(import.meta.dirname, '..', 'recordings');

/**
 * Loads the project's recordings, sorted by file name. Each file contains synthetic responses in a
 * provider's format for one scenario.
 *
 * @throws Error if a file has another format
 */
export function loadProjectRecordings(
  filter: (recording: Recording) => boolean = () => true,
): readonly Recording[] {
  return readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map(loadRecording)
    .filter(filter);
}

/**
 * Loads one of the project's recordings, such as `loadProjectRecording('groq', 'text-stream')`.
 *
 * @throws Error if it does not exist
 */
export function loadProjectRecording(provider: string, scenario: string): Recording {
  return loadRecording(join(provider, `${scenario}.json`));
}

function loadRecording(file: string): Recording {
  const parsed: unknown = JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
  if (!isRecordingFile(parsed))
    throw new Error(`recordings/${file}: not in the format of the testkit's README`);
  const { request, status, headers } = parsed;
  const { body: requestBody, ...asked } = request;
  const sent = requestBody && { requestBody, requestText: JSON.stringify(requestBody) };
  const [provider = '', name = ''] = file.split(/[\\/]/);
  return {
    provider,
    surface: getApiSurface(request.path),
    scenario: name.replace(/\.json$/, ''),
    file,
    note: parsed.note ?? '',
    interactions: [{ ...asked, ...sent, status, headers, body: recordedBytes(parsed), isByteExact: true }],
  };
}

/** AWS event streams are stored as server-sent events, so that people can read them. */
function recordedBytes({ headers, body = '', bodyBase64 }: RecordingFile): Buffer {
  if (bodyBase64 !== undefined) return Buffer.from(bodyBase64, 'base64');
  const text = typeof body === 'string' ? body : body.join('\n');
  return isAmazonEventStream(headers['content-type'] ?? '')
    ? convertSseToEventStream(text)
    : Buffer.from(text);
}

/** Checks the declared members and ignores others. */
function isRecordingFile(value: unknown): value is RecordingFile {
  if (!isPlainObject(value) || !isPlainObject(value['request']) || !isPlainObject(value['headers']))
    return false;
  const { request, headers, body, bodyBase64, note } = value;
  return (
    (request['body'] === undefined || isPlainObject(request['body'])) &&
    typeof request['method'] === 'string' &&
    typeof request['path'] === 'string' &&
    typeof request['stream'] === 'boolean' &&
    typeof value['status'] === 'number' &&
    Object.values(headers).every((header) => typeof header === 'string') &&
    ['undefined', 'string'].includes(typeof note) &&
    (typeof body === 'string' || isLines(body) || typeof bodyBase64 === 'string')
  );
}

function isLines(value: unknown): boolean {
  return Array.isArray(value) && value.every((line) => typeof line === 'string');
}

/** Returns whether a value is an object with string keys, such as a JSON object or a YAML map. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}
