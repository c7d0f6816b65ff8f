import type { Readable } from 'node:stream';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import type { ClientCall } from '../client-call.ts';
import { requireModelId } from '../model-id.ts';
import { BatchInputValidator } from './batch-input-validator.ts';
import { BufferedRequestBody } from './buffered-request-body.ts';
import { FoundIds } from './found-ids.ts';
import { findContentOutsideParts, type MultipartField, MultipartScanner } from './multipart-scanner.ts';
import type { ResourceReference } from './resource-reference.ts';
import { type UploadInspector, UploadStream } from './upload-stream.ts';

/** The request to read, and the rules for the models and resources in it. */
export interface OpaqueReadInput {
  readonly client: ClientCall;
  readonly resource: ResourceReference;
  readonly clock: Clock;
  readonly spoolDir: string;
  /** Returns whether a model in an uploaded batch may be used. Null if every model may be used. */
  readonly allowsModel: ((model: string) => boolean) | null;
  /** Requires that the caller owns these resources at the provider of the upload. @throws Fault with status 404 */
  readonly requireOwned: (ids: readonly string[]) => Promise<void>;
}

/** Names of the fields that replace the uploaded file of a transcription. */
export const REMOTE_FILE_FIELDS = ['url', 'file_url', 'file_id'];

/** A form that is forwarded as it arrives. */
export interface UploadForm {
  readonly upload: UploadStream;
  /** Null if the file of the form cannot be batch input. */
  readonly check: BatchInputValidator | null;
}

/**
 * Inspects a form with files while it is forwarded. Its end is forwarded only if each line of a batch file is valid, and
 * the caller owns the resources in these lines and in the fields of the form.
 */
export function createUploadForm(reader: OpaqueReadInput, type: string): UploadForm {
  const ids = new FoundIds();
  const check = reader.resource.collection === 'files' ? new BatchInputValidator(reader.allowsModel) : null;
  const scan = new MultipartScanner(type, check ?? {}, { scope: 'state', add: (id) => ids.add(id) });
  const inspection: UploadInspector = {
    push: (chunk) => scan.push(chunk),
    end() {
      if (!scan.ended) throw unclosedMultipartFault();
      check?.end();
    },
    async verify() {
      await ids.check(reader.requireOwned);
      if (check?.isBatchInput) await check.ids.check(reader.requireOwned);
    },
  };
  return { upload: new UploadStream(reader.client, reader.clock, inspection), check };
}

function unclosedMultipartFault(): Fault {
  return new Fault(
    'invalid_request',
    'The multipart body is incomplete: it ends before its closing boundary.',
  );
}

/** A form that is buffered until its model has been read. */
export interface SpooledForm {
  readonly spool: BufferedRequestBody;
  readonly fields: ReadonlyMap<string, MultipartField>;
  /** Ids of the resources in its fields. */
  readonly ids: readonly string[];
  readonly hasRemoteFile: boolean;
}

/** Buffers a form. @throws Fault with status 400, 408, 413 or 415 */
export async function spoolForm(reader: OpaqueReadInput, type: string): Promise<SpooledForm> {
  const fields = new Map<string, MultipartField>();
  const ids = new FoundIds();
  let hasRemoteFile = false;
  const events = {
    part(name: string) {
      hasRemoteFile ||= REMOTE_FILE_FIELDS.includes(name);
    },
    field(name: string, field: MultipartField) {
      if (fields.has(name))
        throw new Fault('invalid_request', `The field "${name}" must occur only once.`, { param: name });
      if (name === 'model') requireModelId(field.value);
      fields.set(name, field);
    },
    // Parsers that accept LF as a line break can find a part there.
    outside(piece: Buffer) {
      const fault = findContentOutsideParts(piece);
      if (fault !== null) throw fault;
    },
  };
  const scope = reader.resource.isPrompt ? 'prompt' : 'state';
  const scan = new MultipartScanner(type, events, { scope, add: (id) => ids.add(id) });
  const { bodyCapacity } = reader.client;
  const spool = new BufferedRequestBody(reader.spoolDir, bodyCapacity);
  try {
    const inspection = { push: (chunk: Buffer) => scan.push(chunk), end: () => undefined };
    const arriving: Readable = new UploadStream(reader.client, reader.clock, inspection);
    bodyCapacity?.beginBody((fault) => void arriving.destroy(fault));
    for await (const chunk of arriving) await spool.write(chunk);
    if (!scan.ended) throw unclosedMultipartFault();
    const rejection = bodyCapacity?.endBody();
    if (rejection) throw rejection;
  } catch (error) {
    await spool.close();
    throw error;
  }
  return { spool, fields, ids: ids.list(), hasRemoteFile };
}
