import { isUtf8 } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import { MAX_REQUEST_JSON_COMPLEXITY } from '@floe/wire/json-complexity';
import { readStringAt, type ScannedJsonMembers, scanJsonObject } from '@floe/wire/json-edits';
import { JsonMemberNameLookup } from '@floe/wire/json-member-name-lookup';
import { JsonSyntaxError } from '@floe/wire/json-syntax-error';
import { scanUnambiguousObjectAt } from '@floe/wire/nested-members';
import { findBatchReferences, toInvalidReason } from './batch-references.ts';
import { findBodyReferences, type ReferenceScope } from './body-references.ts';
import { FoundIds } from './found-ids.ts';
import { GrowingBuffer } from './growing-buffer.ts';
import {
  findContentOutsideParts,
  type MultipartCallbacks,
  type MultipartField,
} from './multipart-scanner.ts';
import { ALL_REFERENCE_NAMES, STATE_MEMBERS } from './reference-names.ts';
import { isPromptEndpoint } from './resource-reference.ts';

/** A batch with a longer line is rejected, because it cannot be validated. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;
/** If a line has none of these names, it refers to no resource. */
const LINE_REFERENCE_NAMES = new JsonMemberNameLookup<string>([...ALL_REFERENCE_NAMES, ...STATE_MEMBERS]);
/** The purposes of batch input files at all providers. */
const BATCH_PURPOSES: ReadonlySet<string> = new Set(['batch', 'batch-api']);

/**
 * Validates a batch input file during its upload. Every line must be a request, and the key must permit every model in
 * it. Collects the ids of resources in the lines. Rejects ambiguous input, and reports its line number. Ambiguous input
 * is text that is not UTF-8 (RFC 3629), a line that is not exactly one JSON object (RFC 8259), a duplicate member name,
 * or a line separator other than LF or CRLF. Rejects a file only if its purpose is batch input. The form may state the
 * purpose after the file. Throws before the upload is complete. Buffers one line.
 */
export class BatchInputValidator implements MultipartCallbacks {
  /** The resources that the lines refer to. */
  readonly ids = new FoundIds();
  /** Whether the purpose in the form is batch input and every line is valid. */
  isBatchInput = false;
  readonly #allows: ((model: string) => boolean) | null;
  readonly #line = new GrowingBuffer(MAX_LINE_BYTES);
  #purpose: string | null = null;
  #fault: Fault | null = null;
  #lineNumber = 1;
  /** Whether the start of an object has been found in the current line. */
  #isObject = false;

  /** @param allows returns whether the caller may use a model; null if the caller may use every model */
  constructor(allows: ((model: string) => boolean) | null) {
    this.#allows = allows;
  }

  field(name: string, { value }: MultipartField): void {
    if (name !== 'purpose') return;
    if (this.#purpose !== null)
      throw invalidRequestFault('The field "purpose" must occur only once.', 'purpose');
    this.#purpose = value;
    this.#throwIfBatch();
  }

  file(piece: Buffer): void {
    if (this.#isSkipped()) return;
    let from = 0;
    for (let at = piece.indexOf(LF); at !== -1; at = piece.indexOf(LF, from)) {
      this.#appendToLine(piece.subarray(from, at));
      this.#endLine();
      if (this.#isSkipped()) return;
      from = at + 1;
    }
    this.#appendToLine(piece.subarray(from));
  }

  fileEnd(): void {
    if (!this.#isSkipped()) this.#endLine();
    this.#lineNumber = 1;
  }

  outside(piece: Buffer): void {
    const fault = findContentOutsideParts(piece);
    if (fault !== null) this.#recordFault(fault);
  }

  /** Ends the body. @throws Fault if the batch input is invalid */
  end(): void {
    this.#throwIfBatch();
    this.isBatchInput = this.#purpose !== null && BATCH_PURPOSES.has(this.#purpose);
  }

  /** Returns whether the rest of the file can be skipped. */
  #isSkipped(): boolean {
    return this.#fault !== null || (this.#purpose !== null && !isBatch(this.#purpose));
  }

  #appendToLine(piece: Buffer): void {
    if (this.#fault === null && !this.#isObject) this.#readStart(piece);
    if (this.#fault !== null || this.#line.append(piece)) return;
    this.#recordFault(
      new Fault('request_too_large', `Line ${this.#lineNumber} of the batch file must be at most 32 MB.`, {
        param: 'file',
      }),
    );
  }

  /** A file that is not JSON Lines is not buffered up to its first line break. */
  #readStart(piece: Buffer): void {
    const first = piece.find((byte) => !isBlank(byte));
    this.#isObject = first === 0x7b;
    if (first !== undefined && !this.#isObject)
      this.#recordFault(this.#toLineFault(new JsonSyntaxError('it must be a JSON object', 0)));
  }

  #endLine(): void {
    this.#isObject = false;
    if (this.#fault !== null) return;
    const line = this.#line.drain();
    try {
      this.#validateLine(line.at(-1) === CR ? line.subarray(0, -1) : line);
    } catch (error) {
      this.#recordFault(this.#toLineFault(error));
    }
    this.#lineNumber += 1;
  }

  #validateLine(line: Buffer): void {
    if (line.every(isBlank)) return;
    if (!isUtf8(line)) throw new JsonSyntaxError('it is not valid UTF-8', 0);
    const separator = findSeparator(line);
    if (separator !== null)
      throw new JsonSyntaxError(`it contains ${separator}, which some parsers treat as the end of a line`, 0);
    const members = scanJsonObject(line, MAX_REQUEST_JSON_COMPLEXITY, LINE_REFERENCE_NAMES);
    const { models } = findBatchReferences(line);
    if (members.hasName)
      for (const id of findBodyReferences(line, members, findLineScope(line, members)).ids) this.ids.add(id);
    if (this.#allows === null) return;
    for (const model of models)
      if (!this.#allows(model))
        throw new Fault(
          'model_not_allowed',
          `Line ${this.#lineNumber} of the batch file uses a model that this key is not allowed to use: ${model.slice(0, 200)}. Use another model, or ask an admin to allow this model for the key.`,
          { param: 'model' },
        );
  }

  #toLineFault(error: unknown): Fault {
    if (error instanceof Fault && error.code === 'model_not_allowed') return error;
    if (!(error instanceof Fault || error instanceof JsonSyntaxError)) throw error;
    const why = toInvalidReason(error);
    return invalidRequestFault(`Line ${this.#lineNumber} of the batch file is invalid: ${why}.`, 'file');
  }

  #recordFault(fault: Fault): void {
    this.#fault ??= fault;
    // The rest of the file is skipped, so its current line is not needed.
    this.#line.drain();
    this.#throwIfBatch();
  }

  #throwIfBatch(): void {
    if (this.#fault !== null && this.#purpose !== null && isBatch(this.#purpose)) throw this.#fault;
  }
}

/** Returns whether the purpose is batch input, in any spelling that a provider may accept. */
function isBatch(purpose: string): boolean {
  return BATCH_PURPOSES.has(purpose.trim().toLowerCase());
}

/**
 * Returns the scope in which the ids in a line are searched. A line without an endpoint, or with an agent in its request,
 * can be for an agent. The batch can replace the endpoint of a line.
 */
function findLineScope(line: Buffer, members: ScannedJsonMembers): ReferenceScope {
  const url = members.get('url');
  const path = (url && readStringAt(line, url)) ?? '';
  if (!isPromptEndpoint(path.toLowerCase().replace(/^(?:.*\/)?v\d+\/|^\//, ''))) return 'state';
  const body = members.get('body');
  return body && scanUnambiguousObjectAt(line, body)?.has('agent_id') ? 'state' : 'prompt';
}

/**
 * Returns the name of a line separator that JSON Lines does not permit. Others are control characters, which
 * are invalid JSON.
 */
function findSeparator(line: Buffer): string | null {
  if (line.includes(CR)) return 'a carriage return';
  if (line.includes('\u2028') || line.includes('\u2029'))
    return 'an unescaped U+2028 or U+2029 (write \\u2028 or \\u2029)';
  return line.includes('\u0085') ? 'an unescaped U+0085 (write \\u0085)' : null;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === LF || byte === CR;
}

function invalidRequestFault(message: string, param: string): Fault {
  return new Fault('invalid_request', message, { param });
}
