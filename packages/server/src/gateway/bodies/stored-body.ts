import { redactText } from '@floe/conditions/detect/redact';
import type { FindingKind } from '@floe/conditions/detect/scan';
import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import { MAX_STORED_BODY_BYTES } from './body-recorder.ts';

/** One body as it is kept. */
export interface StoredBody {
  /** Starts like the body; one that is cut ends by saying so. */
  readonly text: string;
  /** Of the whole body, as it went over the wire. */
  readonly bytes: number;
  readonly truncated: boolean;
  /** How many values of each kind were taken out. */
  readonly redacted: Readonly<Record<string, number>>;
}

/** What is kept of an exchange. */
export interface ExchangeBodies {
  /** Null when it was not read, or is no text. */
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
 * What is kept of a body that starts with `start` (a little more than is kept of one that is longer) and has `bytes`
 * in all. Null for what is no text.
 */
export function buildStoredBody(start: Buffer, bytes: number, redact: boolean): StoredBody | null {
  if (start.includes(0)) return null;
  const given = start.toString('utf8');
  const { text, found } = redact ? redactText(given, ALL_FINDING_KINDS) : { text: given, found: new Map() };
  const redacted = Object.fromEntries(found);
  const truncated = bytes > MAX_STORED_BODY_BYTES;
  return { text: truncated ? truncateBody(text, bytes) : text, bytes, truncated, redacted };
}

/** A character that the cut went through is left out. */
function truncateBody(text: string, bytes: number): string {
  const kept = Buffer.from(text)
    .subarray(0, MAX_STORED_BODY_BYTES)
    .toString('utf8')
    .replace(/\ufffd$/, '');
  return `${kept}\n[truncated: ${MAX_STORED_BODY_BYTES} of ${bytes} bytes are stored]`;
}

/** Reads what `JSON.stringify` wrote of kept bodies; null for anything else. */
export function parseStoredBodies(text: string): ExchangeBodies | null {
  const value: Json = JSON.parse(text);
  return isObject(value)
    ? { request: parseStoredBody(value['request']), answer: parseStoredBody(value['answer']) }
    : null;
}

function parseStoredBody(value: Json | undefined): StoredBody | null {
  if (!isObject(value)) return null;
  const { text, bytes, truncated, redacted } = value;
  if (typeof text !== 'string' || typeof bytes !== 'number') return null;
  return {
    text,
    bytes,
    truncated: truncated === true,
    redacted: isObject(redacted) ? parseCounts(redacted) : {},
  };
}

function parseCounts(value: JsonObject): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [kind, count] of Object.entries(value)) if (typeof count === 'number') counts[kind] = count;
  return counts;
}
