import { Fault } from '@floe/contract/faults';
import { MAX_REQUEST_JSON_COMPLEXITY } from '@floe/wire/json-complexity';
import { JsonCursor } from '@floe/wire/json-cursor';
import {
  type ByteSpan,
  readBooleanAt,
  readStringAt,
  type ScannedJsonMembers,
  scanJsonObject,
} from '@floe/wire/json-edits';
import { scanUnambiguousObjectAt } from '@floe/wire/nested-members';
import { requireUnencodedBody } from '../body-checks.ts';
import type { ClientCall } from '../client-call.ts';
import { MAX_JSON_BODY_BYTES, parseUnambiguousRequestBody, rejectThread } from '../client-request.ts';
import { requireModelId } from '../model-id.ts';
import { findBatchBodyReferences } from './batch-body-references.ts';
import type { BatchInputValidator } from './batch-input-validator.ts';
import { type BodyReferences, findBodyReferences } from './body-references.ts';
import type { BufferedRequestBody } from './buffered-request-body.ts';
import { requireOwnEvalData } from './eval-data-sources.ts';
import { JsonRejection } from './json-rejection.ts';
import type { MultipartField } from './multipart-scanner.ts';
import { createUploadForm, type OpaqueReadInput, REMOTE_FILE_FIELDS, spoolForm } from './opaque-forms.ts';
import { REFERENCE_NAMES } from './reference-names.ts';
import { countRequestedChoices, positiveInteger } from './requested-choices.ts';
import type { ResourceReference } from './resource-reference.ts';
import { MAX_UPLOAD_BYTES, UploadStream } from './upload-stream.ts';

/** A buffered JSON request body. It can contain a model. */
export interface BufferedJsonBody {
  readonly kind: 'json';
  readonly bytes: Buffer;
  readonly members: ScannedJsonMembers;
}

/** The body of an opaque request. `kind` states how Floe reads the body. */
export type OpaqueBody =
  | { readonly kind: 'none' }
  | BufferedJsonBody
  /** Forwarded as it arrives. */
  | {
      readonly kind: 'upload';
      readonly upload: UploadStream;
      readonly length: number | null;
      /** Validates the form as batch input; null if the body cannot be batch input. */
      readonly check: BatchInputValidator | null;
    }
  /** Buffered until its model has been read. `field` is the position of the model. */
  | { readonly kind: 'spool'; readonly spool: BufferedRequestBody; readonly field: MultipartField | null };

/** What Floe knows about a request that it forwards without parsing. */
export interface OpaqueRequest {
  readonly body: OpaqueBody;
  /** The model in the body or the path; null if there is none. */
  readonly model: string | null;
  /** Other models, and the resources, in the body. */
  readonly references: BodyReferences;
  /** Ids of the files that a batch reads. */
  readonly batchInputs: readonly string[];
  readonly stream: boolean;
  /** Whether the provider does not store the response. */
  readonly isUnstored: boolean;
  readonly user: string | null;
  /**
   * Number of requested choices or images (`countRequestedChoices`), characters to speak (`input`) and `documents` to
   * rank; null if not stated.
   */
  readonly choices: number | null;
  readonly characters: number | null;
  readonly documents: number | null;
  /** Whether the body names a file that the provider reads from elsewhere, such as a URL. */
  readonly hasRemoteFile: boolean;
  /** Size of the part of the body that has been received, in bytes. */
  readonly bytes: number;
}

const NO_REFERENCES: BodyReferences = { models: [], ids: [], previousResponseId: null };
/** Matches content types that are not JSON and that no provider reads as JSON. */
const OPAQUE_TYPE = /^\s*(?:application\/(?:octet-stream|sdp|pdf|zip)|audio\/|video\/|image\/)/i;
const FILE_COLLECTIONS = new Set(['files', 'uploads', 'containers', 'skills']);
/** Collections whose bodies can be a file with JSON. */
const RAW_FILE_COLLECTIONS: ReadonlySet<string | null> = new Set(['files', 'uploads']);
const MULTIPART = /^\s*multipart\/form-data\b/i;

/**
 * Reads as much of a request as limits, budgets and policies need. Buffers JSON, stores multipart
 * forms that contain a model, and does not read any other body.
 * @throws Fault with status 400, 408, 413 or 415
 */
export async function readOpaqueRequest(reader: OpaqueReadInput): Promise<OpaqueRequest> {
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
    const inspection = RAW_FILE_COLLECTIONS.has(resource.collection) ? null : new JsonRejection();
    const upload = new UploadStream(client, reader.clock, inspection);
    return createUploadRequest({ kind: 'upload', upload, length, check: null }, upload, resource);
  }
  return parseJsonRequest(await client.readBody(MAX_JSON_BODY_BYTES), resource);
}

/** Returns the declared length of the body: null if it is not declared, 0 if there is no body. */
function declaredLength({ headers }: ClientCall): number | null {
  if (headers['transfer-encoding'] !== undefined) return null;
  return Number(headers['content-length'] ?? 0);
}

/**
 * Returns whether forms of this collection are forwarded without being read, because they contain no model.
 */
function isPassedUnread({ collection }: ResourceReference): boolean {
  return collection !== null && FILE_COLLECTIONS.has(collection);
}

function opaqueRequestDefaults(body: OpaqueBody, resource: ResourceReference): Omit<OpaqueRequest, 'bytes'> {
  const unsaid = {
    stream: false,
    isUnstored: false,
    user: null,
    choices: null,
    characters: null,
    documents: null,
    hasRemoteFile: false,
  };
  return { body, model: resource.model, references: NO_REFERENCES, batchInputs: [], ...unsaid };
}

/** Creates the request for an upload. Its number of bytes grows during the upload. */
function createUploadRequest(
  body: OpaqueBody,
  upload: UploadStream,
  resource: ResourceReference,
): OpaqueRequest {
  return {
    ...opaqueRequestDefaults(body, resource),
    get bytes() {
      return upload.bytes;
    },
  };
}

function createUpload(reader: OpaqueReadInput, type: string, length: number | null): OpaqueRequest {
  const { upload, check } = createUploadForm(reader, type);
  return createUploadRequest({ kind: 'upload', upload, length, check }, upload, reader.resource);
}

async function spoolMultipart(reader: OpaqueReadInput, type: string): Promise<OpaqueRequest> {
  const { spool, fields, ids, hasRemoteFile } = await spoolForm(reader, type);
  const field = fields.get('model') ?? null;
  return {
    ...opaqueRequestDefaults({ kind: 'spool', spool, field }, reader.resource),
    model: field?.value ?? reader.resource.model,
    references: { models: [], ids, previousResponseId: null },
    stream: fields.get('stream')?.value === 'true',
    choices: positiveInteger(fields.get('n')?.value),
    hasRemoteFile,
    bytes: spool.size,
  };
}

/** @throws Fault with status 400, or 413 for too many values */
async function parseJsonRequest(bytes: Buffer, resource: ResourceReference): Promise<OpaqueRequest> {
  if (bytes.length === 0) return { ...opaqueRequestDefaults({ kind: 'none' }, resource), bytes: 0 };
  const isBatch = resource.surface === 'batches';
  const ownBatch = isBatch ? await findBatchBodyReferences(bytes, resource) : null;
  const members = ownBatch?.members ?? scanJsonObject(bytes, MAX_REQUEST_JSON_COMPLEXITY, REFERENCE_NAMES);
  if (resource.surface === 'messages') rejectThread(bytes, members);
  if (resource.collection === 'evals')
    requireOwnEvalData(parseUnambiguousRequestBody({ body: bytes, members }));
  const batch = ownBatch ?? (members.has('requests') ? await findBatchBodyReferences(bytes, resource) : null);
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
    references: batch ?? findBodyReferences(bytes, members, resource.isPrompt ? 'prompt' : 'state'),
    batchInputs: ownBatch?.batchInputs ?? [],
    stream: flag('stream', true),
    isUnstored: flag('store', false) || (resource.collection === 'chat/completions' && !flag('store', true)),
    user: text('user') ?? parseMetadataUser(bytes, members),
    choices: countRequestedChoices(bytes, members, resource),
    characters: resource.surface === 'audio' ? countCodePoints(text('input') ?? '') : null,
    documents: resource.surface === 'rerank' ? countEntries(bytes, members.get('documents')) : null,
    hasRemoteFile: REMOTE_FILE_FIELDS.some((name) => members.has(name)),
    bytes: bytes.length,
  };
}

/** Returns the number of Unicode code points, which are billed as characters. */
function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function parseModel(bytes: Buffer, members: ReadonlyMap<string, ByteSpan>): string | null {
  const span = members.get('model');
  if (!span || bytes[span.start] === 0x6e) return null;
  return requireModelId(readStringAt(bytes, span));
}

/** Returns the number of entries in a list. */
function countEntries(bytes: Buffer, span: ByteSpan | undefined): number | null {
  const cursor = span && new JsonCursor(bytes, span.start, span.end);
  if (!cursor?.enterArray()) return null;
  let count = 0;
  for (; cursor.nextElement(); count += 1) cursor.skip();
  return count;
}

function parseMetadataUser(bytes: Buffer, members: ReadonlyMap<string, ByteSpan>): string | null {
  const span = members.get('metadata');
  const inner = span && scanUnambiguousObjectAt(bytes, span);
  const user = inner?.get('user_id');
  return (user && readStringAt(bytes, user)) ?? null;
}

function rejectCoding({ headers }: ClientCall): void {
  requireUnencodedBody(headers);
  const transfer = headers['transfer-encoding'];
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked')
    throw new Fault(
      'unsupported_media_type',
      `The transfer coding "${transfer}" is not supported. Use "chunked".`,
    );
}

function uploadTooLargeFault(): Fault {
  return new Fault('request_too_large', 'The request body must be at most 512 MB.');
}
