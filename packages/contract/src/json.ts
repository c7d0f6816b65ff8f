/** A parsed JSON value (RFC 8259). Readers narrow it; nothing casts it. */
export type Json = string | number | boolean | null | JsonArray | JsonObject;
export type JsonArray = readonly Json[];
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
