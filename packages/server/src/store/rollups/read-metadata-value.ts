import { isJsonObject, type Json } from '@floe/contract/json';
import type { ExchangeRowValues } from '../spool/exchange-row-lines.ts';

/** Returns a metadata value as text; null if it is missing or cannot be converted to text. */
export function readMetadataValue(json: ExchangeRowValues[number] | undefined, name: string): string | null {
  if (typeof json !== 'string') return null;
  const metadata = parseStoredJson(json);
  const value = isJsonObject(metadata) && Object.hasOwn(metadata, name) ? metadata[name] : null;
  return value === null || typeof value === 'object' ? null : String(value);
}

/** Returns the names and values of metadata, as `readMetadataValue` returns each of them. */
export function listMetadataValues(json: string | null): (readonly [name: string, value: string])[] {
  const metadata = json === null ? null : parseStoredJson(json);
  if (!isJsonObject(metadata)) return [];
  return Object.entries(metadata).flatMap(([name, value]) =>
    value === null || typeof value === 'object' ? [] : [[name, String(value)] as const],
  );
}

function parseStoredJson(json: string): Json {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
