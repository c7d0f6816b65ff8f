declare global {
  interface JSON {
    /** ECMAScript 2026: a value that `JSON.stringify` writes as this text. */
    rawJSON(text: string): object;
  }
}

/** A parsed JSON value (RFC 8259). Code must narrow it with type guards and not with casts. */
export type Json = string | number | ExactNumber | boolean | null | JsonArray | JsonObject;
/** A JSON array. */
export type JsonArray = readonly Json[];
/** A JSON object. Looking up a member may return undefined. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}
/** A JSON number, in its original text if JavaScript would change it. */
export type JsonNumber = number | ExactNumber;

/**
 * A number that JavaScript would write differently, such as an integer above 2^53, `1.10`, `1e400` or
 * `-0`. `JSON.stringify` writes its original text.
 */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The number that JavaScript parses. `Infinity` beyond its range. */
  get approximate(): number {
    return Number(this.text);
  }

  toJSON(): object {
    return JSON.rawJSON(this.text);
  }
}

/** Returns whether JavaScript would write a number differently than in this text. */
export function isInexactNumberText(number: string): boolean {
  return String(Number(number)) !== number;
}

/**
 * Matches places where such a number may be: after `:`, `,` or `[`, with sixteen digits, an exponent, a tiny
 * fraction or one that ends in 0, or `-0`. It may also match text in strings.
 */
const POSSIBLY_INEXACT =
  /(?:^|[:,[])\s*(?:-0(?!\.)|-?(?:[\d.]{16}|\d+(?:\.(?:\d*0(?!\d)|0{6})|(?:\.\d+)?[eE])))/;

/**
 * Returns whether `JSON.parse` and `JSON.stringify` may change a number in this JSON text. If the result is
 * false, they change none. If the result is true, they may still change none.
 */
export function mayContainInexactNumbers(text: string): boolean {
  return POSSIBLY_INEXACT.test(text);
}

/**
 * Parses JSON without changing numbers. A number that JavaScript would write differently becomes an
 * `ExactNumber`. Takes as long as `JSON.parse` plus one scan of the text (1 ns per character). Takes
 * four times as long if the text contains such a number.
 *
 * @throws SyntaxError if the text is not valid JSON
 */
export function parseJsonExactly(text: string): Json {
  if (!mayContainInexactNumbers(text)) return JSON.parse(text);
  return parseJsonExactlyWithoutScan(text);
}

/**
 * Parses JSON like `parseJsonExactly`, but without first scanning the text for inexact numbers. Use it for
 * text that is known to contain such a number.
 * @throws SyntaxError if the text is not valid JSON
 */
export function parseJsonExactlyWithoutScan(text: string): Json {
  const value: Json = JSON.parse(text, reviveNumber);
  return value;
}

/** `context` is ECMAScript 2026: the source text of a primitive value. */
function reviveNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return String(value) === context.source ? value : new ExactNumber(context.source);
}

/** Returns whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}
