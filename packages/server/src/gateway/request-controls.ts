import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { replaceUnstorableJsonCharacters } from '../core/unstorable-characters.ts';

const MAX_METADATA_BYTES = 2048;
/** Databases read JSON only up to a limited depth. SQLite reads 1,000 levels. */
const MAX_METADATA_DEPTH = 32;

/** Optional instructions that a caller sends to the gateway in headers. */
export interface RequestControls {
  readonly metadata: JsonObject | null;
  readonly timeoutMs: number | null;
  /**
   * Whether the request does not use the cache, or replaces the cached response. Null if it uses the cache
   * normally.
   */
  readonly cache: 'bypass' | 'refresh' | null;
  /** How long the response may be reused, in milliseconds; null if the caller does not state it. */
  readonly cacheTtlMs: number | null;
}

/**
 * Parses `x-floe-metadata`, `x-floe-timeout-ms`, `x-floe-cache` and `x-floe-cache-ttl`.
 * @throws Fault `invalid_request` that names the header
 */
export function parseRequestControls(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): RequestControls {
  return {
    metadata: readMetadata(headers['x-floe-metadata']),
    timeoutMs: readTimeout(headers['x-floe-timeout-ms']),
    cache: readCache(headers['x-floe-cache']),
    cacheTtlMs: readTtl(headers['x-floe-cache-ttl']),
  };
}

function readMetadata(value: string | string[] | undefined): JsonObject | null {
  if (value === undefined) return null;
  const param = 'x-floe-metadata';
  const text = String(value);
  if (Buffer.byteLength(text) > MAX_METADATA_BYTES)
    throw new Fault('invalid_request', 'The header x-floe-metadata must be at most 2 KB.', { param });
  try {
    const parsed: unknown = JSON.parse(text);
    if (isJsonObject(parsed) && !isNestedDeeperThan(parsed, MAX_METADATA_DEPTH))
      return text.includes('\\u') ? replaceUnstorableJsonCharacters(parsed) : parsed;
  } catch {
    // Invalid JSON is reported below, together with JSON that is not an object or is nested too deeply.
  }
  throw new Fault(
    'invalid_request',
    `The header x-floe-metadata must contain a JSON object with at most ${MAX_METADATA_DEPTH} nested levels.`,
    { param },
  );
}

function isNestedDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((entry) => isNestedDeeperThan(entry, levels - 1));
}

function readTimeout(value: string | string[] | undefined): number | null {
  if (value === undefined) return null;
  const ms = Number(value);
  if (Number.isInteger(ms) && ms > 0) return ms;
  throw new Fault(
    'invalid_request',
    'The header x-floe-timeout-ms must be a positive integer (milliseconds).',
    {
      param: 'x-floe-timeout-ms',
    },
  );
}

function readCache(value: string | string[] | undefined): RequestControls['cache'] {
  if (value === undefined || value === 'bypass' || value === 'refresh') return value ?? null;
  throw new Fault('invalid_request', 'The header x-floe-cache must be "bypass" or "refresh".', {
    param: 'x-floe-cache',
  });
}

/**
 * Maximum lifetime of a cached response: one year, because Redis and timers do not support very long times.
 */
const MAX_TTL_S = 31_536_000;

function readTtl(value: string | string[] | undefined): number | null {
  if (value === undefined) return null;
  const seconds = Number(value);
  if (Number.isInteger(seconds) && seconds > 0 && seconds <= MAX_TTL_S) return seconds * 1000;
  throw new Fault(
    'invalid_request',
    'The header x-floe-cache-ttl must be an integer from 1 to 31536000 (seconds; at most one year).',
    { param: 'x-floe-cache-ttl' },
  );
}
