import { Buffer } from 'node:buffer';
import { HEX_DIGITS, MAX_ESCAPE_BYTES, SIMPLE_ESCAPES, skipStringText } from './json-bytes.ts';
import { JSON_STRING_SCANNER_WASM } from './json-string-scanner-wasm.ts';

/** Addresses in the memory of the module. See json-string-scanner.wat. */
const HEX_DIGITS_ADDRESS = 256;
const TEXT_ADDRESS = 512;
/** Number of bytes that are first copied into the memory for a reader. Then it is four times the number before. */
const FIRST_WINDOW_BYTES = 4 * 1024;
const MAX_WINDOW_BYTES = 256 * 1024;

/** The position of a string of at least 512 bytes, with its quotes. `index` is the number of strings and names before it. */
export interface LongStringSpan {
  readonly start: number;
  readonly end: number;
  readonly index: number;
}

interface JsonStringScannerModule {
  readonly memory: Uint8Array;
  /** Takes and returns addresses in `memory`. */
  readonly skip: (at: number, end: number) => number;
}

const scanner = instantiate();
/** Whether the processor supports the WebAssembly module. */
export const isScannerSupported = scanner !== null;

let readers = 0;
/** The part of a body that is in the memory, and its reader. A number, because a reader would keep its body in memory. */
let windowReader = 0;
let windowStart = 0;
let windowEnd = 0;

/** Returns the number of a new reader. */
export function createReaderId(): number {
  readers += 1;
  return readers;
}

/**
 * Returns the same as `skipStringText`. Reads 16 bytes at a time with WebAssembly. A body of 300 KB takes 120 µs
 * instead of 380 µs with escapes, and 50 µs instead of 140 µs without.
 * @param reader the number of the reader of `bytes`, which must not change while it reads them
 */
export function skipLongStringText(reader: number, bytes: Uint8Array, from: number, end: number): number {
  if (scanner === null) return skipStringText(bytes, from, end);
  let at = from;
  for (;;) {
    const isInWindow = reader === windowReader && at >= windowStart && at < windowEnd;
    if (!isInWindow) loadWindow(scanner, reader, bytes.subarray(0, end), at);
    const shift = TEXT_ADDRESS - windowStart;
    at = scanner.skip(at + shift, windowEnd + shift) - shift;
    // At the end of the window, an escape can be incomplete because it continues after the window.
    const isCut = at > windowEnd - MAX_ESCAPE_BYTES && windowEnd < end;
    if (!isCut) return at;
    loadWindow(scanner, reader, bytes.subarray(0, end), at);
  }
}

/** The window is small after a change of the reader, so that two readers that alternate copy little. */
function loadWindow(
  { memory }: JsonStringScannerModule,
  reader: number,
  bytes: Uint8Array,
  start: number,
): void {
  const isSame = reader === windowReader;
  const size = isSame ? Math.min(MAX_WINDOW_BYTES, 4 * (windowEnd - windowStart)) : FIRST_WINDOW_BYTES;
  windowReader = reader;
  windowStart = start;
  windowEnd = Math.min(bytes.length, start + size);
  memory.set(bytes.subarray(start, windowEnd), TEXT_ADDRESS);
}

/** Returns null on a processor without SIMD instructions for WebAssembly. */
function instantiate(): JsonStringScannerModule | null {
  const code = Buffer.from(JSON_STRING_SCANNER_WASM, 'base64');
  if (!WebAssembly.validate(code)) return null;
  const { memory, skip } = new WebAssembly.Instance(new WebAssembly.Module(code)).exports;
  if (!(memory instanceof WebAssembly.Memory) || typeof skip !== 'function')
    throw new Error('json-string-scanner.wat must export memory and skip');
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(SIMPLE_ESCAPES, 0);
  bytes.set(HEX_DIGITS, HEX_DIGITS_ADDRESS);
  return { memory: bytes, skip: (at, end) => skip(at, end) };
}
