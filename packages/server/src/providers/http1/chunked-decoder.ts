import { MalformedResponseError } from '../transport.ts';

/** Maximum length of a chunk size line with its extensions, and of the trailer. */
const MAX_LINE_BYTES = 16 * 1024;
/**
 * Maximum number of hexadecimal digits of a chunk size, so that chunks of 2^52 bytes or more are rejected.
 */
const MAX_SIZE_DIGITS = 13;

const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;

type ChunkState =
  | 'size'
  | 'extension'
  | 'size_lf'
  | 'data'
  | 'data_cr'
  | 'data_lf'
  | 'trailer'
  | 'trailer_lf'
  | 'end';

/** Decodes the chunked transfer coding (RFC 9112, section 7.1). Discards extensions and trailers. */
export class ChunkedDecoder {
  #state: ChunkState = 'size';
  #digits = 0;
  #left = 0;
  #line = 0;
  #isEmptyLine = true;

  /** Whether the last chunk and its final empty line have been read. */
  get isComplete(): boolean {
    return this.#state === 'end';
  }

  /**
   * Returns the number of content bytes in `bytes` from the offset `at`. Returns 0 if chunk framing comes
   * first.
   */
  contentLength(bytes: Buffer, at: number): number {
    return this.#state === 'data' ? Math.min(this.#left, bytes.length - at) : 0;
  }

  /** Marks content as consumed. */
  consume(length: number): void {
    this.#left -= length;
    if (this.#left === 0) this.#state = 'data_cr';
  }

  /**
   * Reads chunk framing up to the next content or the end of `bytes`. Returns the offset after the framing.
   * @throws MalformedResponseError
   */
  readFraming(bytes: Buffer, from: number): number {
    let at = from;
    while (at < bytes.length && this.#state !== 'data' && this.#state !== 'end') {
      this.#read(bytes[at] ?? 0);
      at += 1;
    }
    return at;
  }

  #read(byte: number): void {
    switch (this.#state) {
      case 'size':
        return this.#readSize(byte);
      case 'extension':
        this.#countLineByte();
        if (byte === CR) this.#state = 'size_lf';
        else if (byte === LF) throw new MalformedResponseError('chunk');
        return;
      case 'size_lf':
        this.#expect(byte, LF);
        this.#line = 0;
        this.#digits = 0;
        this.#isEmptyLine = true;
        this.#state = this.#left === 0 ? 'trailer' : 'data';
        return;
      case 'data_cr':
        this.#expect(byte, CR);
        this.#state = 'data_lf';
        return;
      case 'data_lf':
        this.#expect(byte, LF);
        this.#state = 'size';
        return;
      case 'trailer':
        this.#countLineByte();
        if (byte === CR) this.#state = 'trailer_lf';
        else if (byte === LF) throw new MalformedResponseError('chunk');
        else this.#isEmptyLine = false;
        return;
      default:
        this.#expect(byte, LF);
        this.#state = this.#isEmptyLine ? 'end' : 'trailer';
        this.#isEmptyLine = true;
    }
  }

  #readSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit !== -1) {
      this.#digits += 1;
      if (this.#digits > MAX_SIZE_DIGITS) throw new MalformedResponseError('chunk');
      this.#left = this.#left * 16 + digit;
      return;
    }
    if (this.#digits === 0) throw new MalformedResponseError('chunk');
    if (byte === CR) this.#state = 'size_lf';
    // Some servers pad the size with blanks. Browsers accept this; llhttp does not.
    else if (byte === SEMICOLON || byte === 0x20 || byte === 0x09) this.#state = 'extension';
    else throw new MalformedResponseError('chunk');
  }

  #expect(byte: number, wanted: number): void {
    if (byte !== wanted) throw new MalformedResponseError('chunk');
  }

  #countLineByte(): void {
    this.#line += 1;
    if (this.#line > MAX_LINE_BYTES) throw new MalformedResponseError('chunk');
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
