import { redactText } from '@floe/conditions/detect/redact';
import type { FindingKind } from '@floe/conditions/detect/sensitive-data-scan';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { MAX_STORED_BODY_BYTES } from './body-recorder.ts';

/** A request or response body as it is stored, possibly truncated. */
export interface StoredBody {
  /** The start of the body. A truncated body ends with a note. */
  readonly text: string;
  /** Size of the complete body in bytes, as it was transferred. */
  readonly bytes: number;
  readonly truncated: boolean;
  /** Number of redacted values by kind. */
  readonly redacted: Readonly<Record<string, number>>;
}

/** The stored bodies of an exchange. */
export interface ExchangeBodies {
  /** Null if the request was not parsed, or if its body is not text. */
  readonly request: StoredBody | null;
  readonly answer: StoredBody | null;
}

const ALL_FINDING_KINDS: ReadonlySet<FindingKind> = new Set([
  'secret',
  'email',
  'phone',
  'credit_card',
  'iban',
  'us_ssn',
]);

/**
 * Builds a stored body from its first bytes (`start`) and its total length (`bytes`). If the body
 * is longer than the stored part, `start` contains slightly more than is stored. Returns null if
 * the body is not text.
 */
export function buildStoredBody(start: Buffer, bytes: number, redact: boolean): StoredBody | null {
  if (start.includes(0)) return null;
  const given = start.toString('utf8');
  const { text, found } = redact ? redactText(given, ALL_FINDING_KINDS) : { text: given, found: new Map() };
  const redacted = Object.fromEntries(found);
  const truncated = bytes > MAX_STORED_BODY_BYTES;
  return { text: truncated ? truncateBody(text, bytes) : text, bytes, truncated, redacted };
}

/** Removes a character that the limit splits. */
function truncateBody(text: string, bytes: number): string {
  const kept = Buffer.from(text)
    .subarray(0, MAX_STORED_BODY_BYTES)
    .toString('utf8')
    .replace(/\ufffd$/, '');
  return `${kept}\n[truncated: ${MAX_STORED_BODY_BYTES} of ${bytes} bytes are stored]`;
}

/** Parses stored bodies that `JSON.stringify` wrote. Returns null for any other JSON value. */
export function parseStoredBodies(text: string): ExchangeBodies | null {
  const value: Json = JSON.parse(text);
  return isJsonObject(value)
    ? { request: parseStoredBody(value['request']), answer: parseStoredBody(value['answer']) }
    : null;
}

function parseStoredBody(value: Json | undefined): StoredBody | null {
  if (!isJsonObject(value)) return null;
  const { text, bytes, truncated, redacted } = value;
  if (typeof text !== 'string' || typeof bytes !== 'number') return null;
  return {
    text,
    bytes,
    truncated: truncated === true,
    redacted: isJsonObject(redacted) ? parseCounts(redacted) : {},
  };
}

function parseCounts(value: JsonObject): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [kind, count] of Object.entries(value)) if (typeof count === 'number') counts[kind] = count;
  return counts;
}
