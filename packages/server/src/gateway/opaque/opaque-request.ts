import type { Readable } from 'node:stream';
import { Fault } from '@floe/contract/faults';
import { JsonCursor } from '@floe/wire/json-cursor';
import {
  type ByteSpan,
  readBooleanAt,
  readNumberAt,
  readStringAt,
  type ScannedMembers,
  scanMembersAt,
  scanObject,
} from '@floe/wire/json-edits';
import type { Clock } from '../../core/clock.ts';
import { rejectContentEncoding } from '../body-checks.ts';
import type { ClientConnection } from '../client.ts';
import { MAX_JSON_BODY_BYTES } from '../client-request.ts';
import { BatchFileCheck } from './batch-file.ts';
import { findBatchReferences } from './batch-references.ts';
import { type BodyReferences, findBodyReferences } from './body-references.ts';
import { BodySpool } from './body-spool.ts';
import { type MultipartField, MultipartScan } from './multipart-scan.ts';
import type { ResourceReference } from './resource-reference.ts';
import { MAX_UPLOAD_BYTES, Upload, type UploadInspector } from './upload.ts';

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
  | { readonly kind: 'spool'; readonly spool: BodySpool; readonly field: MultipartField | null };

/** What the gateway knows of a request that it does not understand. */
export interface OpaqueRequest {
  readonly body: OpaqueBody;
  /** As the body or the path names it. */
  readonly model: string | null;
  /** Further models and things of a provider that the body names. */
  readonly references: BodyReferences;
  readonly stream: boolean;
  /** The answer will not be stored by the provider. */
  readonly isUnstored: boolean;
  readonly user: string | null;
  /** Pictures it asks for (`n`), characters it wants spoken (`input`), `documents` to rank; null where it does not say. */
  readonly images: number | null;
  readonly characters: number | null;
  readonly documents: number | null;
  /** Bytes of the body so far. */
  readonly bytes: number;
}

const NO_REFERENCES: BodyReferences = { models: [], ids: [], previousResponseId: null };
/** Bodies whose text is not JSON, nor read by any provider as such. */
const OPAQUE_TYPE = /^\s*(?:application\/(?:octet-stream|sdp|pdf|zip)|audio\/|video\/|image\/)/i;
const MULTIPART = /^\s*multipart\/form-data\b/i;

export interface OpaqueReadOptions {
  readonly client: ClientConnection;
  readonly resource: ResourceReference;
  readonly clock: Clock;
  readonly spoolDir: string;
  /** Whether a model named inside an uploaded batch may be used; null where every model may. */
  readonly allowsModel: ((model: string) => boolean) | null;
}

/**
 * Reads as much of a request as the rules need: JSON whole, multipart forms with a model aside, anything else not
 * at all. Throws 400, 408, 413 and 415.
 */
export async function readOpaqueRequest(reader: OpaqueReadOptions): Promise<OpaqueRequest> {
  const { client, resource } = reader;
  const type = client.headers['content-type'] ?? '';
  const length = declaredLength(client);
  if (length === 0) return { ...opaqueRequestDefaults({ kind: 'none' }, resource), bytes: 0 };
  rejectCoding(client);
  if (MULTIPART.test(type) && !resource.isJsonOnly) {
    if (length !== null && length > MAX_UPLOAD_BYTES) throw uploadTooLargeFault();
    return isPassedUnread(resource) ? createUpload(reader, type, length) : spoolMultipart(reader, type);
  }
  if (OPAQUE_TYPE.test(type) && !resource.isJsonOnly) {
    if (length !== null && length > MAX_UPLOAD_BYTES) throw uploadTooLargeFault();
    const upload = new Upload(client, reader.clock);
    return createUploadRequest({ kind: 'upload', upload, length, check: null }, upload, resource);
  }
  return parseJsonRequest(await client.readBody(MAX_JSON_BODY_BYTES), resource);
}

/** Null when the body's length is not told beforehand, 0 when there is none. */
function declaredLength({ headers }: ClientConnection): number | null {
  if (headers['transfer-encoding'] !== undefined) return null;
  return Number(headers['content-length'] ?? 0);
}

/** Forms of these collections name no model. */
function isPassedUnread({ collection }: ResourceReference): boolean {
  return collection !== null && !['videos', 'responses', 'chat/completions'].includes(collection);
}

function opaqueRequestDefaults(body: OpaqueBody, resource: ResourceReference): Omit<OpaqueRequest, 'bytes'> {
  const unsaid = {
    stream: false,
    isUnstored: false,
    user: null,
    images: null,
    characters: null,
    documents: null,
  };
  return { body, model: resource.model, references: NO_REFERENCES, ...unsaid };
}

/** The count of an upload grows while it passes. */
function createUploadRequest(body: OpaqueBody, upload: Upload, resource: ResourceReference): OpaqueRequest {
  return {
    ...opaqueRequestDefaults(body, resource),
    get bytes() {
      return upload.bytes;
    },
  };
}

function createUpload(reader: OpaqueReadOptions, type: string, length: number | null): OpaqueRequest {
  const check = reader.allowsModel && new BatchFileCheck(reader.allowsModel);
  const inspection = check && createInspector(new MultipartScan(type, check), check);
  const upload = new Upload(reader.client, reader.clock, inspection);
  return createUploadRequest({ kind: 'upload', upload, length, check }, upload, reader.resource);
}

function createInspector(scan: MultipartScan, check: BatchFileCheck): UploadInspector {
  return {
    push: (chunk) => scan.push(chunk),
    end() {
      if (!scan.ended) throw unclosedMultipartFault();
      check.end();
    },
  };
}

function unclosedMultipartFault(): Fault {
  return new Fault(
    'invalid_request',
    'The multipart body is incomplete: it ends before its closing boundary.',
  );
}

async function spoolMultipart(reader: OpaqueReadOptions, type: string): Promise<OpaqueRequest> {
  const fields = new Map<string, MultipartField>();
  const scan = new MultipartScan(type, {
    field(name, field) {
      if (fields.has(name))
        throw new Fault('invalid_request', `The field "${name}" must occur only once.`, { param: name });
      fields.set(name, field);
    },
  });
  const spool = new BodySpool(reader.spoolDir);
  try {
    const inspection = { push: (chunk: Buffer) => scan.push(chunk), end: () => undefined };
    const arriving: Readable = new Upload(reader.client, reader.clock, inspection);
    for await (const chunk of arriving) await spool.write(chunk);
    if (!scan.ended) throw unclosedMultipartFault();
  } catch (error) {
    await spool.close();
    throw error;
  }
  const field = fields.get('model') ?? null;
  return {
    ...opaqueRequestDefaults({ kind: 'spool', spool, field }, reader.resource),
    model: field?.value ?? reader.resource.model,
    stream: fields.get('stream')?.value === 'true',
    images: positiveInteger(fields.get('n')?.value),
    bytes: spool.size,
  };
}

function parseJsonRequest(bytes: Buffer, resource: ResourceReference): OpaqueRequest {
  if (bytes.length === 0) return { ...opaqueRequestDefaults({ kind: 'none' }, resource), bytes: 0 };
  const members = scanObject(bytes);
  const text = (name: string): string | null => {
    const span = members.get(name);
    return (span && readStringAt(bytes, span)) ?? null;
  };
  const flag = (name: string, value: boolean): boolean => {
    const span = members.get(name);
    return span !== undefined && readBooleanAt(bytes, span) === value;
  };
  return {
    body: { kind: 'json', bytes, members },
    model: parseModel(bytes, members) ?? resource.model,
    references: findReferences(bytes, members, resource),
    stream: flag('stream', true),
    isUnstored: flag('store', false) || (resource.collection === 'chat/completions' && !flag('store', true)),
    user: text('user') ?? parseMetadataUser(bytes, members),
    images: positiveInteger(optionalNumber(bytes, members.get('n'))),
    // Characters as code points, as they are billed.
    characters: resource.surface === 'audio' ? [...(text('input') ?? '')].length : null,
    documents: resource.surface === 'rerank' ? countEntries(bytes, members.get('documents')) : null,
    bytes: bytes.length,
  };
}

/** A batch of the Messages API holds requests of a known shape; elsewhere each provider has its own. */
function findReferences(
  bytes: Buffer,
  members: ReadonlyMap<string, ByteSpan>,
  { surface, collection }: ResourceReference,
): BodyReferences {
  const things = findBodyReferences(bytes, members);
  if (surface !== 'batches' || collection === 'messages/batches') return things;
  try {
    return { ...things, models: [...things.models, ...findBatchReferences(bytes).models] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault('invalid_request', `The request body cannot be checked: ${error.message}.`);
  }
}

function parseModel(bytes: Buffer, members: ReadonlyMap<string, ByteSpan>): string | null {
  const span = members.get('model');
  if (!span || bytes[span.start] === 0x6e) return null;
  const model = readStringAt(bytes, span);
  if (model !== undefined && model !== '') return model;
  throw new Fault('invalid_request', 'The parameter "model" must be a non-empty string.', { param: 'model' });
}

function optionalNumber(bytes: Buffer, span: ByteSpan | undefined): number | undefined {
  return span && readNumberAt(bytes, span);
}

/** Entries of a list. */
function countEntries(bytes: Buffer, span: ByteSpan | undefined): number | null {
  const cursor = span && new JsonCursor(bytes, span.start, span.end);
  if (!cursor?.enterArray()) return null;
  let count = 0;
  for (; cursor.nextElement(); count += 1) cursor.skip();
  return count;
}

function positiveInteger(value: string | number | undefined): number | null {
  const number = Number(value ?? Number.NaN);
  return Number.isSafeInteger(number) && number > 0 ? number : null;
}

function parseMetadataUser(bytes: Buffer, members: ReadonlyMap<string, ByteSpan>): string | null {
  const span = members.get('metadata');
  const inner = span && scanMembersAt(bytes, span);
  const user = inner?.get('user_id');
  return (user && readStringAt(bytes, user)) ?? null;
}

function rejectCoding({ headers }: ClientConnection): void {
  rejectContentEncoding(headers);
  const transfer = headers['transfer-encoding'];
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked')
    throw new Fault(
      'unsupported_media_type',
      `The transfer coding "${transfer}" is not supported. Use "chunked".`,
    );
}

function uploadTooLargeFault(): Fault {
  return new Fault('request_too_large', 'The request body must have at most 512 MB.');
}
