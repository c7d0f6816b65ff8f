import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { Fault } from '@floe/contract/faults';
import { isJsonObject } from '@floe/contract/json';
import { asString, tryParseJson } from '../json-narrowing.ts';
import { formatSseFrame } from '../sse.ts';

/** Content type of streams in binary frames. */
const CONTENT_TYPE = /^\s*application\/vnd\.amazon\.eventstream\b/i;
const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;
/** The prelude, no headers, no payload and the final checksum. */
const MIN_FRAME_BYTES = PRELUDE_BYTES + CRC_BYTES;
const MAX_FRAME_BYTES = 24 << 20;
/** Type of a string header. Other types have a fixed length or a length prefix. */
const TEXT_HEADER_TYPE = 7;
const FIXED_LENGTHS: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

/**
 * HTTP statuses of exceptions within a stream, from the service model of the runtime API. AWS defines 424 for an error
 * of the model, after which the request must be sent again. Other providers use 424 for errors of the caller, so Floe
 * uses 503 instead.
 */
const EXCEPTION_STATUSES: Readonly<Record<string, number>> = {
  validationException: 400,
  throttlingException: 429,
  modelTimeoutException: 408,
  modelStreamErrorException: 503,
  internalServerException: 500,
  serviceUnavailableException: 503,
};

/**
 * Returns whether the content type is a stream in binary frames.
 * @example
 * isAwsEventStream('application/vnd.amazon.eventstream'); // true
 * isAwsEventStream('text/event-stream'); // false
 */
export function isAwsEventStream(contentType: string): boolean {
  return CONTENT_TYPE.test(contentType);
}

/** Frames that were converted to server-sent events, and the fault that follows them, if any. */
export interface TranscodedEventStreamChunk {
  readonly sse: Buffer;
  readonly fault: Fault | undefined;
}

/**
 * Converts AWS event stream frames to server-sent events, so that each dialect needs only one
 * reader. A frame consists of the total length, the header length, the CRC-32 of both, headers,
 * payload, and the CRC-32 of everything before. An exception frame becomes an `error` event in the
 * Messages format. A `chunk` frame is replaced with the event that it contains. If a checksum is wrong, the
 * result has a fault, and the frame and everything after it are discarded.
 */
export class AwsEventStreamTranscoder {
  #pieces: Buffer[] = [];
  #held = 0;
  /** Bytes that the next frame needs. Only the prelude until the length is known. */
  #needed = PRELUDE_BYTES;

  push(chunk: Buffer): TranscodedEventStreamChunk {
    this.#pieces.push(chunk);
    this.#held += chunk.length;
    const frames: string[] = [];
    let fault: Fault | undefined;
    if (this.#held >= this.#needed) {
      const bytes = this.#pieces.length === 1 ? chunk : Buffer.concat(this.#pieces, this.#held);
      try {
        this.#hold(this.#read(bytes, frames));
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        fault = error;
      }
    }
    return { sse: Buffer.from(frames.join('')), fault };
  }

  /**
   * Bytes of an incomplete frame. Greater than 0 at the end of a stream means that the stream was truncated.
   */
  get rest(): number {
    return this.#held;
  }

  #hold(rest: Buffer): void {
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#held = rest.length;
  }

  /** Returns the bytes after the last complete frame. */
  #read(bytes: Buffer, frames: string[]): Buffer {
    let at = 0;
    for (;;) {
      const left = bytes.length - at;
      this.#needed =
        left < PRELUDE_BYTES ? PRELUDE_BYTES : frameLength(bytes.subarray(at, at + PRELUDE_BYTES));
      if (left < this.#needed) return bytes.subarray(at);
      frames.push(transcodeFrame(bytes.subarray(at, at + this.#needed)));
      at += this.#needed;
    }
  }
}

function frameLength(prelude: Buffer): number {
  const total = prelude.readUInt32BE(0);
  if (crc32(prelude.subarray(0, 8)) !== prelude.readUInt32BE(8)) throw damagedFrameFault();
  if (total < MIN_FRAME_BYTES || total > MAX_FRAME_BYTES) throw damagedFrameFault();
  return total;
}

function damagedFrameFault(): Fault {
  return new Fault(
    'upstream_stream_broken',
    'The provider sent a stream frame that is malformed or has an invalid checksum. Send the request again.',
  );
}

function transcodeFrame(frame: Buffer): string {
  const body = frame.length - CRC_BYTES;
  if (crc32(frame.subarray(0, body)) !== frame.readUInt32BE(body)) throw damagedFrameFault();
  const headersEnd = PRELUDE_BYTES + frame.readUInt32BE(4);
  if (headersEnd > body) throw damagedFrameFault();
  const headers = parseHeaders(frame.subarray(PRELUDE_BYTES, headersEnd));
  const payload = frame.toString('utf8', headersEnd, body);
  const type = headers.get(':message-type');
  if (type === 'exception') return formatErrorEvent(headers.get(':exception-type') ?? 'exception', payload);
  if (type === 'error') {
    const message = headers.get(':error-message') ?? '';
    return formatErrorEvent(headers.get(':error-code') ?? 'error', JSON.stringify({ message }));
  }
  const event = headers.get(':event-type') ?? 'message';
  return event === 'chunk' ? unwrapChunk(payload) : formatSseFrame(event, payload);
}

function parseHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    if (nameEnd >= bytes.length) throw damagedFrameFault();
    const name = bytes.toString('utf8', at + 1, nameEnd);
    const type = bytes.readUInt8(nameEnd);
    at = nameEnd + 1;
    let length = FIXED_LENGTHS[type];
    if (length === undefined) {
      if (at + 2 > bytes.length) throw damagedFrameFault();
      length = bytes.readUInt16BE(at);
      at += 2;
    }
    if (at + length > bytes.length) throw damagedFrameFault();
    if (type === TEXT_HEADER_TYPE) headers.set(name, bytes.toString('utf8', at, at + length));
    at += length;
  }
  return headers;
}

/** Unwraps an event of another dialect in `{"bytes": base64 of the event}`. */
function unwrapChunk(payload: string): string {
  const outer = tryParseJson(payload);
  const data = Buffer.from((isJsonObject(outer) && asString(outer['bytes'])) || '', 'base64').toString(
    'utf8',
  );
  const inner = tryParseJson(data);
  return formatSseFrame((isJsonObject(inner) && asString(inner['type'])) || 'message', data);
}

function formatErrorEvent(type: string, payload: string): string {
  const body = tryParseJson(payload);
  const said = isJsonObject(body) ? (body['message'] ?? body['Message']) : undefined;
  const own = isJsonObject(body) ? body['originalStatusCode'] : undefined;
  const message = typeof said === 'string' && said !== '' ? said : `The provider reported the error ${type}.`;
  const status = EXCEPTION_STATUSES[type] ?? (typeof own === 'number' ? own : 500);
  return formatSseFrame('error', JSON.stringify({ type: 'error', error: { type, message, status } }));
}
