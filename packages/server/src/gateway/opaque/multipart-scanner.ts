import { Fault } from '@floe/contract/faults';
import type { ReferenceScope } from './body-references.ts';
import { ID_LIST_MEMBERS, ID_MEMBERS, RESOURCE_MEMBERS, STATE_MEMBERS } from './reference-names.ts';

/** A form field's value and its position in the body. */
export interface MultipartField {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Callbacks of a multipart scan. Each may throw a `Fault` to end the scan. */
export interface MultipartCallbacks {
  /** The name of each part, before its content. */
  part?(name: string): void;
  field?(name: string, field: MultipartField): void;
  /** Bytes of a part with a file name. */
  file?(piece: Buffer): void;
  fileEnd?(): void;
  /** Bytes before the first part and after the last part. Parsers ignore them (RFC 2046, section 5.1.1). */
  outside?(piece: Buffer): void;
}

/** Receives the ids of resources in the fields of a form. */
export interface MultipartReferences {
  readonly scope: ReferenceScope;
  add(id: string): void;
}

/** Fields whose values are read, in addition to those with ids of resources. Others are skipped. */
const CAPTURED_FIELDS = new Set(['model', 'purpose', 'stream', 'n']);
const MAX_VALUE_BYTES = 1024;
const MAX_HEAD_BYTES = 16 * 1024;
const CRLF = '\r\n';
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/gi;

interface MultipartPart {
  readonly name: string;
  readonly isFile: boolean;
  /** Whether the file name is missing or empty. Parsers then treat the part as a field. */
  readonly isUnnamed: boolean;
  readonly start: number;
  readonly value: Buffer[];
  size: number;
}

/**
 * Scans a multipart/form-data body (RFC 7578) while it is forwarded, and reports the values of a
 * few fields and the bytes of files. Works regardless of how the body is split into chunks. Buffers
 * at most one part header, one value and one delimiter.
 */
export class MultipartScanner {
  ended = false;
  /** Dashes and boundary. They must not occur in a part after any line break. */
  #delimiter: Buffer;
  #events: MultipartCallbacks;
  #references: MultipartReferences | null;
  /** Unread bytes. The first one is byte `#at` of the body. */
  #unread: Buffer;
  #offset: number;
  #state: 'preamble' | 'after' | 'head' | 'data' = 'preamble';
  #part: MultipartPart | null = null;

  /** @throws Fault `invalid_request` if the content type has no boundary */
  constructor(
    contentType: string,
    events: MultipartCallbacks,
    references: MultipartReferences | null = null,
  ) {
    const [found, second] = contentType.matchAll(BOUNDARY);
    const boundary = found?.[1] ?? found?.[2];
    if (second !== undefined || /boundary\*/i.test(contentType)) throw malformedMultipartFault();
    if (boundary === undefined)
      throw new Fault(
        'invalid_request',
        'The content type multipart/form-data must have a boundary parameter.',
        {
          param: 'content-type',
        },
      );
    this.#delimiter = Buffer.from(`--${boundary}`, 'latin1');
    this.#events = events;
    this.#references = references;
    // The first delimiter may be at the start of the body, so a line break is assumed before it.
    this.#unread = Buffer.from(CRLF);
    this.#offset = -CRLF.length;
  }

  push(chunk: Buffer): void {
    if (this.ended) {
      this.#events.outside?.(chunk);
      return;
    }
    this.#unread = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    while (this.#step());
  }

  /** Processes the next token. Returns false if more bytes are needed. */
  #step(): boolean {
    switch (this.#state) {
      case 'preamble':
      case 'data':
        return this.#readData();
      case 'after':
        return this.#readAfter();
      case 'head':
        return this.#readHead();
    }
  }

  #readData(): boolean {
    const found = this.#unread.indexOf(this.#delimiter);
    const breaks =
      found >= CRLF.length && this.#unread.toString('latin1', found - CRLF.length, found) === CRLF;
    if (found !== -1 && !breaks) {
      // Parsers that accept LF as a line break would end the part here.
      if (this.#part) throw malformedMultipartFault();
      this.#data(found + 1);
      return true;
    }
    const kept = this.#delimiter.length + CRLF.length - 1;
    this.#data(found === -1 ? Math.max(0, this.#unread.length - kept) : found - CRLF.length);
    if (found === -1) return false;
    this.#endPart();
    this.#skip(CRLF.length + this.#delimiter.length);
    this.#state = 'after';
    return true;
  }

  /**
   * Reads what follows a delimiter. Two dashes end the body; white space and a line break start the head of a
   * part.
   */
  #readAfter(): boolean {
    if (this.#unread.length < 2) return false;
    if (this.#unread[0] === 0x2d && this.#unread[1] === 0x2d) {
      this.ended = true;
      this.#skip(2);
      this.#events.outside?.(this.#unread);
      return false;
    }
    const lineEnd = this.#unread.indexOf(CRLF);
    if (lineEnd === -1 && this.#unread.length < MAX_HEAD_BYTES) return false;
    if (lineEnd === -1 || this.#unread.toString('latin1', 0, lineEnd).trim() !== '')
      throw malformedMultipartFault();
    this.#skip(lineEnd);
    this.#state = 'head';
    return true;
  }

  #readHead(): boolean {
    const end = this.#unread.indexOf(CRLF + CRLF);
    if (end === -1 && this.#unread.length <= MAX_HEAD_BYTES) return false;
    if (end === -1 || end > MAX_HEAD_BYTES) throw malformedMultipartFault();
    const head = this.#unread.toString('utf8', 0, end);
    this.#skip(end + 2 * CRLF.length);
    this.#part = parsePartHead(head, this.#offset);
    this.#events.part?.(this.#part.name);
    this.#state = 'data';
    return true;
  }

  #data(length: number): void {
    if (length === 0) return;
    const piece = this.#unread.subarray(0, length);
    this.#skip(length);
    const part = this.#part;
    if (!part) {
      this.#events.outside?.(piece);
      return;
    }
    part.size += piece.length;
    if (part.isFile && part.name !== 'model') this.#events.file?.(piece);
    if (this.#isCaptured(part)) {
      if (part.size > MAX_VALUE_BYTES)
        throw new Fault(
          'invalid_request',
          `The field "${part.name}" must be at most ${MAX_VALUE_BYTES} bytes.`,
          {
            param: part.name,
          },
        );
      part.value.push(piece);
    }
  }

  #endPart(): void {
    const part = this.#part;
    if (!part) return;
    this.#part = null;
    const isFile = part.isFile && part.name !== 'model';
    if (isFile) this.#events.fileEnd?.();
    if (!this.#isCaptured(part)) return;
    const value = Buffer.concat(part.value).toString('utf8');
    if (this.#isReference(part)) {
      if (value !== '') this.#references?.add(value);
    } else this.#events.field?.(part.name, { value, start: part.start, end: part.start + part.size });
  }

  /** Returns whether the value of the part is read. */
  #isCaptured(part: MultipartPart): boolean {
    const isField = part.name === 'model' || !part.isFile;
    return (isField && CAPTURED_FIELDS.has(part.name)) || this.#isReference(part);
  }

  #isReference({ name, isUnnamed }: MultipartPart): boolean {
    return isUnnamed && this.#references !== null && isReferenceField(name, this.#references.scope);
  }

  #skip(count: number): void {
    this.#unread = this.#unread.subarray(count);
    this.#offset += count;
  }
}

/**
 * Matches a part header that is deprecated since RFC 7578, section 4.7, but that some parsers still decode.
 */
const ENCODED = /^content-(?:transfer-)?encoding:\s*(?!(?:7bit|8bit|binary|identity)\s*$)/im;
const PARAMETER = /;\s*([\w*-]+)\s*=\s*(?:"([^"]*)"|([^\s;"]+))/g;

/** Matches a folded header line (deprecated since RFC 7230, section 3.2.4), and a line break other than CRLF. */
const ODD_LINE = /\r\n[ \t]|\r(?!\n)|(?<!\r)\n/;

/**
 * Rejects heads that parsers read differently: escaped quotes, folded lines, duplicate headers and duplicate names.
 * Also rejects a part without a name (RFC 7578, section 4.2).
 */
function parsePartHead(head: string, start: number): MultipartPart {
  const [line = '', second] = [...head.matchAll(/^content-disposition:(.*)$/gim)].map(
    ([, text = '']) => text,
  );
  const parameters = [...line.matchAll(PARAMETER)].map(([, name = '', quoted, bare]) => ({
    name: name.toLowerCase(),
    value: quoted ?? bare ?? '',
  }));
  const names = parameters.filter(({ name }) => name === 'name' || name === 'name*');
  const isOdd =
    line.includes('\\"') ||
    ODD_LINE.test(head) ||
    names.length > 1 ||
    names.some(({ name }) => name === 'name*');
  const name = names[0]?.value ?? '';
  if (second !== undefined || isOdd || name === '') throw malformedMultipartFault();
  const isFile = name === 'file' || parameters.some((one) => /^filename\*?$/.test(one.name));
  if (isFile && ENCODED.test(head)) throw malformedMultipartFault();
  const isUnnamed = !parameters.some((one) => one.name === 'filename' && one.value !== '');
  return { name, isFile, isUnnamed, start, value: [], size: 0 };
}

/**
 * Returns whether the value of a field is the id of a resource. Forms write nested members as `video[id]`, and lists as
 * `file_ids[]` or `file_ids[0]`.
 */
function isReferenceField(field: string, scope: ReferenceScope): boolean {
  const names = field
    .toLowerCase()
    .split(/[[\].\s]/)
    .filter((name) => /\D/.test(name));
  if (names[0] === 'metadata') return false;
  const last = names.pop() ?? '';
  if (last !== 'id') return namesReference(last, scope);
  const parent = names.pop() ?? '';
  return parent === 'video' || namesReference(parent, scope);
}

function namesReference(name: string, scope: ReferenceScope): boolean {
  if (ID_MEMBERS.has(name) || ID_LIST_MEMBERS.has(name) || RESOURCE_MEMBERS.has(name)) return true;
  return name === 'file_id' || name === 'skill_id' || (scope === 'state' && STATE_MEMBERS.has(name));
}

/** Returns the fault for content before the first or after the last part; null if there is only white space. */
export function findContentOutsideParts(piece: Buffer): Fault | null {
  if (!/[^ \t\r\n]/.test(piece.toString('latin1'))) return null;
  return new Fault('invalid_request', 'The multipart form must not have content outside its parts.', {
    param: 'file',
  });
}

function malformedMultipartFault(): Fault {
  return new Fault('invalid_request', 'The body must be valid multipart/form-data (RFC 7578).');
}
