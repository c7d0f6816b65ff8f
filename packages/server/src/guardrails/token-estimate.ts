import { hasBytesAt, visitBytePositions } from '../core/visit-byte-positions.ts';
import { estimatePdfPageCount } from './pdf-pages.ts';

/** Lower bound for text in all languages. Markup and JSON have more bytes per token. */
const MIN_BYTES_PER_TOKEN = 3;
/** Typical for text and JSON. Used to charge a request for which the provider reported no usage. */
const BYTES_PER_TOKEN = 4;
/** Tokens of an image of any size. */
const TOKENS_PER_IMAGE = 1_600;
/** Tokens of a document page: its text and, for most providers, an image of it. */
const TOKENS_PER_PAGE = 3_000;
const MAX_TOKENS_PER_PAGE = 5_000;
/** Pages of a document that the body only references. */
const DEFAULT_PAGES = 10;
/** No model has a larger context. */
const MAX_ATTACHMENT_TOKENS = 1_000_000;
const LONG_BODY_BYTES = 16 * 1024;
const BASE64_MARKS = [Buffer.from(';base64,'), Buffer.from('"base64"')];
/** The byte of both marks that is rarest in text, and its index. */
const BASE64_RAREST = { byte: 0x36, index: 5 };
/** The start of a PDF (`%PDF-`) in base64. */
const PDF_START = 'JVBERi0';
/** Members that reference a file that the provider reads from elsewhere. */
const DOCUMENT_MARKS = [Buffer.from('"file_id"'), Buffer.from('"file_url"'), Buffer.from('"file_uri"')];
const DOCUMENT_RAREST = { byte: 0x5f, index: 5 };
/** The type of an item whose member `result` is the bare base64 of an image. */
const GENERATED_IMAGE = { mark: Buffer.from('"image_generation_call"'), rarestIndex: 6 };
/** The start of base64 that is long enough to be an attachment. */
const BARE_BASE64 = /^[\w+/\\-]{64}$/;
const QUOTE = 0x22;
const RESULT_MARK = Buffer.from('"result"');

/**
 * The number of output tokens that is assumed if neither the request nor earlier responses indicate
 * one.
 */
export const DEFAULT_OUTPUT_TOKENS = 4_096;

/** What a request's input consists of. */
export interface InputComposition {
  readonly textBytes: number;
  readonly images: number;
  readonly pages: number;
}

const NO_INPUT: InputComposition = { textBytes: 0, images: 0, pages: 0 };

/**
 * Returns an upper estimate of a request's input tokens. Used for reservations. `resolved` is input that the body
 * references.
 */
export function estimateMaxInputTokens(body: Buffer, resolved: InputComposition = NO_INPUT): number {
  return countTokens(body, resolved, MIN_BYTES_PER_TOKEN, MAX_TOKENS_PER_PAGE);
}

/**
 * Returns the expected number of input tokens of a request, unlike `estimateMaxInputTokens`. Used for charges if the
 * provider reports no usage.
 */
export function estimateInputTokens(body: Buffer, resolved: InputComposition = NO_INPUT): number {
  return countTokens(body, resolved, BYTES_PER_TOKEN, TOKENS_PER_PAGE);
}

/** Returns the expected number of tokens in `bytes` of content, measured with `@floe/wire/content-bytes`. */
export function estimateContentTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/**
 * Returns an upper estimate of the tokens streamed so far. Few providers send less than one token
 * per chunk, so the estimate is at least the number of chunks.
 */
export function estimateMaxContentTokens(bytes: number, pieces: number): number {
  return Math.max(Math.ceil(bytes / MIN_BYTES_PER_TOKEN), pieces);
}

function countTokens(
  body: Buffer,
  resolved: InputComposition,
  bytesPerToken: number,
  tokensPerPage: number,
): number {
  const { textBytes, images, pages } = measureInput(body);
  const attached = (images + resolved.images) * TOKENS_PER_IMAGE + (pages + resolved.pages) * tokensPerPage;
  return (
    Math.ceil((textBytes + resolved.textBytes) / bytesPerToken) + Math.min(attached, MAX_ATTACHMENT_TOKENS)
  );
}

/**
 * Measures base64 attachments separately from text. A megabyte of image has about a thousand tokens, not
 * 300,000.
 */
export function measureInput(body: Buffer): InputComposition {
  const weight: MutableComposition = { textBytes: body.length, images: 0, pages: 0 };
  let hasGeneratedImage = false;
  visitBytePositions(body, DOCUMENT_RAREST.byte, (at) => {
    const start = at - DOCUMENT_RAREST.index;
    if (DOCUMENT_MARKS.some((mark) => hasBytesAt(body, start, mark))) weight.pages += DEFAULT_PAGES;
    hasGeneratedImage ||= hasBytesAt(body, at - GENERATED_IMAGE.rarestIndex, GENERATED_IMAGE.mark);
    return at + 1;
  });
  if (body.length <= LONG_BODY_BYTES) return weight;
  visitBytePositions(body, BASE64_RAREST.byte, (at) => {
    const start = at - BASE64_RAREST.index;
    const mark = BASE64_MARKS.find((each) => hasBytesAt(body, start, each));
    return mark ? addAttachment(weight, body, start + mark.length) : at + 1;
  });
  if (hasGeneratedImage) addGeneratedImages(weight, body);
  return weight;
}

/** Adds the images in members named `result`. The type of the item may be before or after this member. */
function addGeneratedImages(weight: MutableComposition, body: Buffer): void {
  visitBytePositions(body, QUOTE, (at) => {
    if (!hasBytesAt(body, at, RESULT_MARK)) return at + 1;
    const data = readNextString(body, at + RESULT_MARK.length);
    if (data === null || !BARE_BASE64.test(data.toString('latin1', 0, 64))) return at + 1;
    // Text is not base64, and a data URL has been counted.
    if (data.includes(0x20) || data.includes(0x3b)) return at + 1;
    weight.textBytes -= data.length;
    weight.images += 1;
    return data.byteOffset - body.byteOffset + data.length + 1;
  });
}

type MutableComposition = { -readonly [name in keyof InputComposition]: number };

/** Returns the position after the attachment. */
function addAttachment(weight: MutableComposition, body: Buffer, from: number): number {
  const data = findBase64Data(body, from);
  if (data === null) return from;
  weight.textBytes -= data.length;
  if (data.toString('latin1', 0, PDF_START.length) === PDF_START) weight.pages += estimatePdfPageCount(data);
  else weight.images += 1;
  return data.byteOffset - body.byteOffset + data.length;
}

/**
 * Returns the base64 from here to the end of the string, if it is long. Otherwise returns the value of a
 * `"data"` member that follows closely, or null.
 */
function findBase64Data(body: Buffer, from: number): Buffer | null {
  const end = body.indexOf(QUOTE, from);
  if (end === -1) return null;
  if (end - from > 64) return body.subarray(from, end);
  const data = body.indexOf('"data"', from);
  if (data === -1 || data - from > 256) return null;
  return readNextString(body, data + 6);
}

/** Returns the next string in quotation marks; null if there is none or it is empty. */
function readNextString(body: Buffer, from: number): Buffer | null {
  const open = body.indexOf(QUOTE, from);
  const close = open === -1 ? -1 : body.indexOf(QUOTE, open + 1);
  return close === -1 || close === open + 1 ? null : body.subarray(open + 1, close);
}
