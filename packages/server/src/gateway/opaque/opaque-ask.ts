import type { Readable } from 'node:stream';
import { Fault } from '@floe/contract/faults';
import { JsonCursor } from '@floe/wire/json-cursor';
import {
  readBoolean,
  readNumber,
  readString,
  type ScannedMembers,
  type Span,
  scanObject,
  spanMembers,
} from '@floe/wire/splice';
import type { Clock } from '../../core/clock.ts';
import { JSON_BODY_BYTES } from '../ask.ts';
import { refuseEncoded } from '../body-rules.ts';
import type { Client } from '../client.ts';
import { BatchFileCheck } from './batch-file.ts';
import { type Field, MultipartScan } from './multipart-scan.ts';
import { batchNames } from './named-models.ts';
import { type NamedThings, namedThings } from './named-things.ts';
import type { Meaning } from './resource-path.ts';
import { Spool } from './spool.ts';
import { type Inspection, UPLOAD_BYTES, Upload } from './upload.ts';

/** A JSON body, read whole: a model may stand in it. */
export interface JsonBody {
  readonly kind: 'json';
  readonly bytes: Buffer;
  readonly members: ScannedMembers;
}

export type OpaqueBody =
  | { readonly kind: 'none' }
  | JsonBody
  /** Passes as it arrives. */
  | {
      readonly kind: 'upload';
      readonly upload: Upload;
      readonly length: number | null;
      /** What judged it as the input of a batch; null where every model may be used. */
      readonly check: BatchFileCheck | null;
    }
  /** Kept aside until its model was read; `field` is where that stands. */
  | { readonly kind: 'spool'; readonly spool: Spool; readonly field: Field | null };

/** What the gateway knows of a request that it does not understand. */
export interface OpaqueAsk {
  readonly body: OpaqueBody;
  /** As the body or the path names it. */
  readonly model: string | null;
  /** Further models and things of a provider that the body names. */
  readonly things: NamedThings;
  readonly stream: boolean;
  /** The answer will not be stored by the provider. */
  readonly unstored: boolean;
  readonly user: string | null;
  /** Pictures it asks for (`n`), characters it wants spoken (`input`), `documents` to rank; null where it does not say. */
  readonly images: number | null;
  readonly characters: number | null;
  readonly documents: number | null;
  /** Bytes of the body so far. */
  readonly bytes: number;
}

const NOTHING: NamedThings = { models: [], ids: [], previous: null };
/** Bodies whose text is not JSON, nor read by any provider as such. */
const OPAQUE_TYPE = /^\s*(?:application\/(?:octet-stream|sdp|pdf|zip)|audio\/|video\/|image\/)/i;
const MULTIPART = /^\s*multipart\/form-data\b/i;

export interface BodyReader {
  readonly client: Client;
  readonly meaning: Meaning;
  readonly clock: Clock;
  readonly spoolDir: string;
  /** Whether a model named inside an uploaded batch may be used; null where every model may. */
  readonly allowsModel: ((model: string) => boolean) | null;
}

/**
 * Reads as much of a request as the rules need: JSON whole, multipart forms with a model aside, anything else not
 * at all. Throws 400, 408, 413 and 415.
 */
export async function readOpaqueAsk(reader: BodyReader): Promise<OpaqueAsk> {
  const { client, meaning } = reader;
  const type = client.headers['content-type'] ?? '';
  const length = lengthOf(client);
  if (length === 0) return { ...plain({ kind: 'none' }, meaning), bytes: 0 };
  refuseCoding(client);
  if (MULTIPART.test(type) && !meaning.jsonOnly) {
    if (length !== null && length > UPLOAD_BYTES) throw tooLarge();
    return passesUnread(meaning) ? uploadOf(reader, type, length) : spooled(reader, type);
  }
  if (OPAQUE_TYPE.test(type) && !meaning.jsonOnly) {
    if (length !== null && length > UPLOAD_BYTES) throw tooLarge();
    const upload = new Upload(client, reader.clock);
    return uploadAsk({ kind: 'upload', upload, length, check: null }, upload, meaning);
  }
  return readJson(await client.readBody(JSON_BODY_BYTES), meaning);
}

/** Null when the body's length is not told beforehand, 0 when there is none. */
function lengthOf({ headers }: Client): number | null {
  if (headers['transfer-encoding'] !== undefined) return null;
  return Number(headers['content-length'] ?? 0);
}

/** Forms of these collections name no model. */
function passesUnread({ collection }: Meaning): boolean {
  return collection !== null && !['videos', 'responses', 'chat/completions'].includes(collection);
}

function plain(body: OpaqueBody, meaning: Meaning): Omit<OpaqueAsk, 'bytes'> {
  const unsaid = {
    stream: false,
    unstored: false,
    user: null,
    images: null,
    characters: null,
    documents: null,
  };
  return { body, model: meaning.model, things: NOTHING, ...unsaid };
}

/** The count of an upload grows while it passes. */
function uploadAsk(body: OpaqueBody, upload: Upload, meaning: Meaning): OpaqueAsk {
  return {
    ...plain(body, meaning),
    get bytes() {
      return upload.bytes;
    },
  };
}

function uploadOf(reader: BodyReader, type: string, length: number | null): OpaqueAsk {
  const check = reader.allowsModel && new BatchFileCheck(reader.allowsModel);
  const inspection = check && inspectionOf(new MultipartScan(type, check), check);
  const upload = new Upload(reader.client, reader.clock, inspection);
  return uploadAsk({ kind: 'upload', upload, length, check }, upload, reader.meaning);
}

function inspectionOf(scan: MultipartScan, check: BatchFileCheck): Inspection {
  return {
    push: (chunk) => scan.push(chunk),
    end() {
      if (!scan.ended) throw unclosed();
      check.end();
    },
  };
}

function unclosed(): Fault {
  return new Fault('invalid_request', 'The multipart body ends before its closing boundary.');
}

async function spooled(reader: BodyReader, type: string): Promise<OpaqueAsk> {
  const fields = new Map<string, Field>();
  const scan = new MultipartScan(type, {
    field(name, field) {
      if (fields.has(name))
        throw new Fault('invalid_request', `The field "${name}" occurs twice.`, { param: name });
      fields.set(name, field);
    },
  });
  const spool = new Spool(reader.spoolDir);
  try {
    const inspection = { push: (chunk: Buffer) => scan.push(chunk), end: () => undefined };
    const arriving: Readable = new Upload(reader.client, reader.clock, inspection);
    for await (const chunk of arriving) await spool.write(chunk);
    if (!scan.ended) throw unclosed();
  } catch (error) {
    await spool.close();
    throw error;
  }
  const field = fields.get('model') ?? null;
  return {
    ...plain({ kind: 'spool', spool, field }, reader.meaning),
    model: field?.value ?? reader.meaning.model,
    stream: fields.get('stream')?.value === 'true',
    images: wholeNumber(fields.get('n')?.value),
    bytes: spool.size,
  };
}

function readJson(bytes: Buffer, meaning: Meaning): OpaqueAsk {
  if (bytes.length === 0) return { ...plain({ kind: 'none' }, meaning), bytes: 0 };
  const members = scanObject(bytes);
  const text = (name: string): string | null => {
    const span = members.get(name);
    return (span && readString(bytes, span)) ?? null;
  };
  const flag = (name: string, value: boolean): boolean => {
    const span = members.get(name);
    return span !== undefined && readBoolean(bytes, span) === value;
  };
  return {
    body: { kind: 'json', bytes, members },
    model: modelOf(bytes, members) ?? meaning.model,
    things: thingsOf(bytes, members, meaning),
    stream: flag('stream', true),
    unstored: flag('store', false) || (meaning.collection === 'chat/completions' && !flag('store', true)),
    user: text('user') ?? metadataUser(bytes, members),
    images: wholeNumber(numberAt(bytes, members.get('n'))),
    // Characters as code points, as they are billed.
    characters: meaning.surface === 'audio' ? [...(text('input') ?? '')].length : null,
    documents: meaning.surface === 'rerank' ? entriesAt(bytes, members.get('documents')) : null,
    bytes: bytes.length,
  };
}

/** A batch of the Messages API holds requests of a known shape; elsewhere each provider has its own. */
function thingsOf(
  bytes: Buffer,
  members: ReadonlyMap<string, Span>,
  { surface, collection }: Meaning,
): NamedThings {
  const things = namedThings(bytes, members);
  if (surface !== 'batches' || collection === 'messages/batches') return things;
  try {
    return { ...things, models: [...things.models, ...batchNames(bytes).models] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault('invalid_request', `The request body cannot be judged: ${error.message}.`);
  }
}

function modelOf(bytes: Buffer, members: ReadonlyMap<string, Span>): string | null {
  const span = members.get('model');
  if (!span || bytes[span.start] === 0x6e) return null;
  const model = readString(bytes, span);
  if (model !== undefined && model !== '') return model;
  throw new Fault('invalid_request', 'The parameter "model" must be a non-empty string.', { param: 'model' });
}

function numberAt(bytes: Buffer, span: Span | undefined): number | undefined {
  return span && readNumber(bytes, span);
}

/** Entries of a list. */
function entriesAt(bytes: Buffer, span: Span | undefined): number | null {
  const cursor = span && new JsonCursor(bytes, span.start, span.end);
  if (!cursor?.enterArray()) return null;
  let count = 0;
  for (; cursor.nextElement(); count += 1) cursor.skip();
  return count;
}

function wholeNumber(value: string | number | undefined): number | null {
  const number = Number(value ?? Number.NaN);
  return Number.isSafeInteger(number) && number > 0 ? number : null;
}

function metadataUser(bytes: Buffer, members: ReadonlyMap<string, Span>): string | null {
  const span = members.get('metadata');
  const inner = span && spanMembers(bytes, span);
  const user = inner?.get('user_id');
  return (user && readString(bytes, user)) ?? null;
}

function refuseCoding({ headers }: Client): void {
  refuseEncoded(headers);
  const transfer = headers['transfer-encoding'];
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked')
    throw new Fault(
      'unsupported_media_type',
      `The transfer coding "${transfer}" is not read; send "chunked".`,
    );
}

function tooLarge(): Fault {
  return new Fault('request_too_large', 'The request body is larger than 512 MB.');
}
