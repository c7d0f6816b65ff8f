import { Fault } from '@floe/contract/faults';

/** A field's value and where it stands in the body. */
export interface Field {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** What a scan reports as it goes; each may throw the `Fault` that ends the body. */
export interface MultipartEvents {
  field?(name: string, field: Field): void;
  /** Bytes of a part with a file name. */
  file?(piece: Buffer): void;
  fileEnd?(): void;
  /** Bytes before the first part and after the last, which readers are to ignore (RFC 2046, section 5.1.1). */
  outside?(piece: Buffer): void;
}

/** Fields whose value is wanted; of others only the place is passed over. */
const WANTED = new Set(['model', 'purpose', 'stream', 'n']);
const VALUE_BYTES = 1024;
const HEAD_BYTES = 16 * 1024;
const CRLF = '\r\n';
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/gi;

interface Part {
  readonly name: string;
  readonly isFile: boolean;
  readonly start: number;
  readonly value: Buffer[];
  size: number;
}

/**
 * Reads a multipart/form-data body (RFC 7578) while it passes: values of the few fields that matter and the bytes
 * of files, however the body is cut. Holds no more than one part's head, one value and a delimiter's length.
 */
export class MultipartScan {
  ended = false;
  /** Dashes and boundary: what must not stand in a part, behind whichever line break. */
  #dashed: Buffer;
  #events: MultipartEvents;
  /** Unread bytes; the first of them is byte `#at` of the body. */
  #held: Buffer;
  #at: number;
  #state: 'preamble' | 'after' | 'head' | 'data' = 'preamble';
  #part: Part | null = null;

  /** @throws Fault `invalid_request` when the content type names no boundary. */
  constructor(contentType: string, events: MultipartEvents) {
    const [found, second] = contentType.matchAll(BOUNDARY);
    const boundary = found?.[1] ?? found?.[2];
    if (second !== undefined || /boundary\*/i.test(contentType)) throw broken();
    if (boundary === undefined)
      throw new Fault('invalid_request', 'The multipart content type names no boundary.', {
        param: 'content-type',
      });
    this.#dashed = Buffer.from(`--${boundary}`, 'latin1');
    this.#events = events;
    // The first delimiter may stand at the very start: a line break before it is imagined.
    this.#held = Buffer.from(CRLF);
    this.#at = -CRLF.length;
  }

  push(chunk: Buffer): void {
    if (this.ended) {
      this.#events.outside?.(chunk);
      return;
    }
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    while (this.#step());
  }

  /** Reads on; false when more bytes are needed. */
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
    const found = this.#held.indexOf(this.#dashed);
    const breaks = found >= CRLF.length && this.#held.toString('latin1', found - CRLF.length, found) === CRLF;
    if (found !== -1 && !breaks) {
      // Readers that take a lone LF for a line break would end the part here.
      if (this.#part) throw broken();
      this.#data(found + 1);
      return true;
    }
    const kept = this.#dashed.length + CRLF.length - 1;
    this.#data(found === -1 ? Math.max(0, this.#held.length - kept) : found - CRLF.length);
    if (found === -1) return false;
    this.#endPart();
    this.#skip(CRLF.length + this.#dashed.length);
    this.#state = 'after';
    return true;
  }

  /** Behind a delimiter: two dashes end the body; white space and a line break begin a part's head. */
  #readAfter(): boolean {
    if (this.#held.length < 2) return false;
    if (this.#held[0] === 0x2d && this.#held[1] === 0x2d) {
      this.ended = true;
      this.#skip(2);
      this.#events.outside?.(this.#held);
      return false;
    }
    const lineEnd = this.#held.indexOf(CRLF);
    if (lineEnd === -1 && this.#held.length < HEAD_BYTES) return false;
    if (lineEnd === -1 || this.#held.toString('latin1', 0, lineEnd).trim() !== '') throw broken();
    this.#skip(lineEnd);
    this.#state = 'head';
    return true;
  }

  #readHead(): boolean {
    const end = this.#held.indexOf(CRLF + CRLF);
    if (end === -1 && this.#held.length <= HEAD_BYTES) return false;
    if (end === -1 || end > HEAD_BYTES) throw broken();
    const head = this.#held.toString('utf8', 0, end);
    this.#skip(end + 2 * CRLF.length);
    this.#part = partOf(head, this.#at);
    this.#state = 'data';
    return true;
  }

  #data(length: number): void {
    if (length === 0) return;
    const piece = this.#held.subarray(0, length);
    this.#skip(length);
    const part = this.#part;
    if (!part) {
      this.#events.outside?.(piece);
      return;
    }
    part.size += piece.length;
    if (part.isFile && part.name !== 'model') this.#events.file?.(piece);
    else if (WANTED.has(part.name)) {
      if (part.size > VALUE_BYTES)
        throw new Fault('invalid_request', `The field "${part.name}" is longer than ${VALUE_BYTES} bytes.`, {
          param: part.name,
        });
      part.value.push(piece);
    }
  }

  #endPart(): void {
    const part = this.#part;
    if (!part) return;
    this.#part = null;
    if (part.isFile && part.name !== 'model') this.#events.fileEnd?.();
    else if (WANTED.has(part.name))
      this.#events.field?.(part.name, {
        value: Buffer.concat(part.value).toString('utf8'),
        start: part.start,
        end: part.start + part.size,
      });
  }

  #skip(count: number): void {
    this.#held = this.#held.subarray(count);
    this.#at += count;
  }
}

/** Deprecated since RFC 7578, section 4.7; some readers decode it all the same. */
const ENCODED = /^content-(?:transfer-)?encoding:\s*(?!(?:7bit|8bit|binary|identity)\s*$)/im;
const PARAMETER = /;\s*([\w*-]+)\s*=\s*(?:"([^"]*)"|([^\s;"]+))/g;

/** What two readers could take for different fields is refused: escaped quotes, doubled heads, names told twice. */
function partOf(head: string, start: number): Part {
  const [line = '', second] = [...head.matchAll(/^content-disposition:(.*)$/gim)].map(
    ([, text = '']) => text,
  );
  const parameters = [...line.matchAll(PARAMETER)].map(([, name = '', quoted, bare]) => ({
    name: name.toLowerCase(),
    value: quoted ?? bare ?? '',
  }));
  const names = parameters.filter(({ name }) => name === 'name' || name === 'name*');
  const isOdd = line.includes('\\"') || names.length > 1 || names.some(({ name }) => name === 'name*');
  if (second !== undefined || isOdd) throw broken();
  const name = names[0]?.value ?? '';
  const isFile = name === 'file' || parameters.some((one) => /^filename\*?$/.test(one.name));
  if (isFile && ENCODED.test(head)) throw broken();
  return { name, isFile, start, value: [], size: 0 };
}

function broken(): Fault {
  return new Fault('invalid_request', 'The body is not valid multipart/form-data (RFC 7578).');
}
