import { JsonComplexityCounter } from './json-complexity.ts';
import { type ByteSpan, createBodyCursor, MembersInProgress, type ScannedJsonMembers } from './json-edits.ts';
import type { JsonMemberNameLookup } from './json-member-name-lookup.ts';
import { toScanFault } from './json-scan-faults.ts';
import { JsonSyntaxError } from './json-syntax-error.ts';

/** The settings for scanning the body of a request about batches. */
export interface BatchScanSettings {
  /** The maximum complexity of each request, and of the rest of the body. */
  readonly maxComplexity: number;
  /** The names of nested members to look for (`hasName`). */
  readonly names: JsonMemberNameLookup<string>;
  /**
   * Called for each request. Must call `scan`, which throws Fault `request_too_large` if the request is too complex.
   */
  readonly onRequest: (scan: () => void, index: number) => Promise<void>;
}

/** The members of a body, and the positions of the requests in it. */
export interface ScannedBatchObject {
  readonly members: ScannedJsonMembers;
  /** The elements of the member `requests`; null if it is not a list. */
  readonly requests: readonly ByteSpan[] | null;
}

/**
 * Scans a body like `scanJsonObject`, but request by request, because a body of many requests may be too complex to be
 * scanned at once.
 * @throws Fault like `scanJsonObject`
 * @example
 * const settings = { maxComplexity: 100, names: new JsonMemberNameLookup([]), onRequest: async (scan) => scan() };
 * const { requests } = await scanBatchObject(Buffer.from('{"requests":[{}]}'), settings);
 * requests; // [{ start: 13, end: 15 }]
 */
export async function scanBatchObject(
  body: Uint8Array,
  { maxComplexity, names, onRequest }: BatchScanSettings,
): Promise<ScannedBatchObject> {
  const cursor = createBodyCursor(body, maxComplexity, names);
  const found = new MembersInProgress();
  let requests: ByteSpan[] | null = null;
  const scanRequest = () => {
    cursor.complexity = new JsonComplexityCounter(maxComplexity);
    try {
      cursor.skip();
    } catch (error) {
      // The position of a syntax error refers to the whole body.
      throw error instanceof JsonSyntaxError ? error : toScanFault(error, body, maxComplexity);
    }
  };
  try {
    const isObject = found.enter(cursor);
    while (isObject && cursor.nextMember()) {
      const { at: start, complexity } = cursor;
      const key = found.readKey(body, cursor);
      if (key === 'requests' && cursor.enterArray()) {
        requests = [];
        while (cursor.nextElement()) {
          cursor.peek();
          const { at } = cursor;
          await onRequest(scanRequest, requests.length);
          requests.push({ start: at, end: cursor.at });
        }
        cursor.complexity = complexity;
      } else cursor.skip();
      found.addValue(key, start, cursor.at);
    }
    return { members: found.end(cursor), requests };
  } catch (error) {
    throw toScanFault(error, body, maxComplexity);
  }
}
