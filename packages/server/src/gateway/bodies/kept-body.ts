import { redactText } from '@floe/conditions/detect/json-texts';
import type { FindingKind } from '@floe/conditions/detect/scan';
import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import { BODY_BYTES } from './body-tape.ts';

/** One body as it is kept. */
export interface KeptBody {
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
  readonly request: KeptBody | null;
  readonly answer: KeptBody | null;
}

const EVERY_KIND: ReadonlySet<FindingKind> = new Set([
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
export function keptBody(start: Buffer, bytes: number, redact: boolean): KeptBody | null {
  if (start.includes(0)) return null;
  const given = start.toString('utf8');
  const { text, found } = redact ? redactText(given, EVERY_KIND) : { text: given, found: new Map() };
  const redacted = Object.fromEntries(found);
  const truncated = bytes > BODY_BYTES;
  return { text: truncated ? cut(text, bytes) : text, bytes, truncated, redacted };
}

/** A character that the cut went through is left out. */
function cut(text: string, bytes: number): string {
  const kept = Buffer.from(text)
    .subarray(0, BODY_BYTES)
    .toString('utf8')
    .replace(/\ufffd$/, '');
  return `${kept}\n[truncated: ${BODY_BYTES} of ${bytes} bytes are kept]`;
}

/** Reads what `JSON.stringify` wrote of kept bodies; null for anything else. */
export function bodiesIn(text: string): ExchangeBodies | null {
  const value: Json = JSON.parse(text);
  return isObject(value) ? { request: bodyIn(value['request']), answer: bodyIn(value['answer']) } : null;
}

function bodyIn(value: Json | undefined): KeptBody | null {
  if (!isObject(value)) return null;
  const { text, bytes, truncated, redacted } = value;
  if (typeof text !== 'string' || typeof bytes !== 'number') return null;
  return {
    text,
    bytes,
    truncated: truncated === true,
    redacted: isObject(redacted) ? countsIn(redacted) : {},
  };
}

function countsIn(value: JsonObject): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [kind, count] of Object.entries(value)) if (typeof count === 'number') counts[kind] = count;
  return counts;
}
