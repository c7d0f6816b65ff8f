/**
 * Size of a decoded window and overlap of two windows. Multiples of four, because base64 encodes in groups of
 * four characters.
 */
const WINDOW_CHARS = 256 * 1024;
const OVERLAP_CHARS = 128;
/** A mark is counted in the window that has this many bytes on both sides of it. */
const MARGIN_BYTES = 48;
/** Assumed bytes per page if the page objects are compressed. Most pages have more. */
const BYTES_PER_PAGE = 10 * 1024;
/** No provider accepts a document with more pages. */
const MAX_PAGES = 1_000;
const BACKSLASH = 0x5c;

const PAGE_MARKER = Buffer.from('/Page');
const COUNT_MARKER = Buffer.from('/Count');
const LINEARIZED_MARKER = Buffer.from('/Linearized');

/**
 * Estimates the number of pages in a PDF that a JSON string contains as base64. Returns 1 to 1,000.
 * Counts the page objects, or reads the count in the root of the page tree. If both are compressed
 * (PDF 1.5 and later), estimates the number from the file size. Does not decompress anything, so
 * the time is linear, about a millisecond per megabyte.
 */
export function estimatePdfPageCount(json: Buffer): number {
  const base64 = json.includes(BACKSLASH) ? unescapeBase64(json) : json;
  let objects = 0;
  let told = 0;
  for (let at = 0; at < base64.length; at += WINDOW_CHARS) {
    const from = Math.max(0, at - OVERLAP_CHARS);
    const decoded = Buffer.from(base64.toString('latin1', from, at + WINDOW_CHARS), 'base64');
    const first = at === 0 ? 0 : MARGIN_BYTES;
    const end = at + WINDOW_CHARS >= base64.length ? decoded.length : decoded.length - MARGIN_BYTES;
    for (const mark of findMarkers(decoded, PAGE_MARKER, first, end))
      if (isPageObject(decoded, mark)) objects += 1;
    for (const mark of findMarkers(decoded, COUNT_MARKER, first, end))
      told = Math.max(told, parseNumberAt(decoded, mark, /^\/Count\s+(\d{1,5})\b/));
    for (const mark of at === 0 ? findMarkers(decoded, LINEARIZED_MARKER, 0, 1024) : [])
      told = Math.max(told, parseNumberAt(decoded, mark, /^[^>]{0,90}?\/N\s+(\d{1,5})\b/));
  }
  const most = Math.max(objects, told) || Math.ceil((base64.length * 3) / 4 / BYTES_PER_PAGE);
  return Math.min(MAX_PAGES, Math.max(1, most));
}

/** Some writers escape slashes or split base64 into lines. */
function unescapeBase64(json: Buffer): Buffer {
  return Buffer.from(json.toString('latin1').replaceAll(/\\[nrt]|\\/g, ''), 'latin1');
}

function* findMarkers(bytes: Buffer, mark: Buffer, from: number, end: number): Generator<number> {
  let at = bytes.indexOf(mark, from);
  while (at !== -1 && at < end) {
    yield at;
    at = bytes.indexOf(mark, at + mark.length);
  }
}

/** Matches `/Type /Page`, but not `/Pages` or another name with the same start. */
function isPageObject(bytes: Buffer, at: number): boolean {
  const next = bytes[at + PAGE_MARKER.length] ?? 0;
  const isLonger = (next >= 0x41 && next <= 0x5a) || (next >= 0x61 && next <= 0x7a);
  return !isLonger && /\/Type\s*$/.test(bytes.toString('latin1', Math.max(0, at - 16), at));
}

function parseNumberAt(bytes: Buffer, at: number, pattern: RegExp): number {
  return Number(pattern.exec(bytes.toString('latin1', at, at + 120))?.[1] ?? 0);
}
