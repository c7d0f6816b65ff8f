import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import { readBoolean, readNumber, readString, type Span, scanObject } from '@floe/wire/splice';

const METADATA_BYTES = 2048;

/** What the gateway needs of a request before it knows whether anything must be translated. */
export interface Ask {
  readonly body: Buffer;
  /** Byte spans of the top-level members. */
  readonly members: ReadonlyMap<string, Span>;
  readonly model: string;
  readonly stream: boolean;
  /** Answers asked for (`n`). */
  readonly choices: number;
  /** The body's own hint at who is behind it. */
  readonly user: string | null;
}

/** Controls in headers; never required. */
export interface Controls {
  readonly metadata: JsonObject | null;
  readonly timeoutMs: number | null;
}

/** Reads a Chat request in one pass over its bytes. Throws 400s that name the field. */
export function readChatAsk(body: Buffer): Ask {
  const members = scanObject(body);
  const model = requiredString(body, members, 'model');
  refuseResponsesShape(members);
  const messages = members.get('messages');
  if (!messages) throw missing('messages');
  if (body[messages.start] !== 0x5b) throw wrongType('messages', 'an array');
  return {
    body,
    members,
    model,
    stream: optionalBoolean(body, members, 'stream'),
    choices: optionalCount(body, members, 'n'),
    user: stringOf(body, members, 'user'),
  };
}

/** `x-floe-metadata` and `x-floe-timeout-ms`. Throws `invalid_request` naming the header. */
export function readControls(headers: Readonly<Record<string, string | string[] | undefined>>): Controls {
  return {
    metadata: readMetadata(headers['x-floe-metadata']),
    timeoutMs: readTimeout(headers['x-floe-timeout-ms']),
  };
}

function readMetadata(value: string | string[] | undefined): JsonObject | null {
  if (value === undefined) return null;
  const param = 'x-floe-metadata';
  const text = String(value);
  if (Buffer.byteLength(text) > METADATA_BYTES)
    throw new Fault('invalid_request', 'The header x-floe-metadata is larger than 2 KB.', { param });
  try {
    const parsed: unknown = JSON.parse(text);
    if (isObject(parsed)) return parsed;
  } catch {
    // Not JSON: reported below together with JSON that is no object.
  }
  throw new Fault('invalid_request', 'The header x-floe-metadata must hold a JSON object.', { param });
}

function readTimeout(value: string | string[] | undefined): number | null {
  if (value === undefined) return null;
  const ms = Number(value);
  if (Number.isInteger(ms) && ms > 0) return ms;
  throw new Fault(
    'invalid_request',
    'The header x-floe-timeout-ms must be a whole number of milliseconds above 0.',
    {
      param: 'x-floe-timeout-ms',
    },
  );
}

function refuseResponsesShape(members: ReadonlyMap<string, Span>): void {
  if (!members.has('input') || members.has('messages')) return;
  throw new Fault(
    'unsupported_parameter',
    'This is a Responses-shaped body ("input" instead of "messages"). Send it to /gateway/v1/responses, or point an IDE at /gateway/ide-adapter.',
    { param: 'input' },
  );
}

function missing(param: string): Fault {
  return new Fault('missing_required_parameter', `Missing required parameter: "${param}".`, { param });
}

function wrongType(param: string, wanted: string): Fault {
  return new Fault('invalid_request', `The parameter "${param}" must be ${wanted}.`, { param });
}

function requiredString(body: Buffer, members: ReadonlyMap<string, Span>, name: string): string {
  const span = members.get(name);
  if (!span) throw missing(name);
  const value = readString(body, span);
  if (value === undefined || value === '') throw wrongType(name, 'a non-empty string');
  return value;
}

function stringOf(body: Buffer, members: ReadonlyMap<string, Span>, name: string): string | null {
  const span = members.get(name);
  return (span && readString(body, span)) ?? null;
}

function isNull(body: Buffer, span: Span): boolean {
  return body[span.start] === 0x6e;
}

function optionalBoolean(body: Buffer, members: ReadonlyMap<string, Span>, name: string): boolean {
  const span = members.get(name);
  if (!span || isNull(body, span)) return false;
  const value = readBoolean(body, span);
  if (value === undefined) throw wrongType(name, 'true or false');
  return value;
}

function optionalCount(body: Buffer, members: ReadonlyMap<string, Span>, name: string): number {
  const span = members.get(name);
  if (!span || isNull(body, span)) return 1;
  const value = readNumber(body, span);
  if (value === undefined || !Number.isInteger(value) || value < 1)
    throw wrongType(name, 'a whole number of at least 1');
  return value;
}
