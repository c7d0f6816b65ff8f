import { createHash } from 'node:crypto';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { replaceUnstorableCharacters } from '../core/unstorable-characters.ts';
import type { ReceivedBeat } from './received-beat.ts';

/** The maximum size of a heartbeat's body. */
export const MAX_HEARTBEAT_BODY_BYTES = 64 * 1024;
/** The maximum size of the metadata that is stored with a beat. */
export const MAX_BEAT_METADATA_BYTES = 16 * 1024;
const MAX_KEY_CHARS = 255;
/** The fields of the body. All others are ignored. */
const HEARTBEAT_FIELDS: ReadonlySet<string> = new Set(['monitor_id', 'metadata']);
/** Bounds of the list of ignored fields in the response. */
const MAX_LISTED_FIELDS = 20;
const MAX_LISTED_FIELD_CHARS = 100;

/** A parsed heartbeat request, with the reason for removed metadata and the names of ignored fields. */
export interface ParsedHeartbeat {
  readonly call: Omit<ReceivedBeat, 'receivedAt' | 'earliestReceivedAt'>;
  /** Why the metadata was removed. Null if it is stored, or if there was none. */
  readonly metadataDropReason: string | null;
  /** The names of top-level fields that have no effect, for the response. At most `MAX_LISTED_FIELDS`. */
  readonly ignoredFields: readonly string[];
}

/**
 * Parses the body of `POST /api/monitoring/heartbeat`. Unknown fields are ignored and listed. Metadata that
 * cannot be stored is removed. In both cases, the beat is still accepted.
 * @throws Fault `invalid_json`, `missing_required_parameter` or `invalid_request`, with `param`
 */
export function parseHeartbeat(
  body: Buffer,
  idempotencyKey: string | readonly string[] | undefined,
  orgId: string,
): ParsedHeartbeat {
  const given = parse(body);
  if (!isJsonObject(given))
    throw new Fault('invalid_request', 'The body must be a JSON object with the field monitor_id.', {
      param: 'monitor_id',
    });
  const { monitor_id: id } = given;
  if (id === undefined)
    throw new Fault('missing_required_parameter', 'monitor_id: is required', { param: 'monitor_id' });
  if (typeof id !== 'string' || id === '')
    throw new Fault('invalid_request', 'monitor_id: must be a non-empty string', {
      param: 'monitor_id',
    });
  const { json, dropped } = serializeMetadata(given['metadata']);
  return {
    call: {
      // An id with characters that cannot be stored belongs to no monitor.
      address: { orgId, id: replaceUnstorableCharacters(id) },
      kind: 'ok',
      runId: null,
      idempotencyKey: normalizeIdempotencyKey(idempotencyKey),
      metadataJson: json,
      error: null,
    },
    metadataDropReason: dropped,
    ignoredFields: listIgnoredFields(given),
  };
}

/**
 * Returns the idempotency key, or null if it is missing. A key that is too long is replaced by its hash.
 * Truncating it could make two different keys equal.
 */
export function normalizeIdempotencyKey(header: string | readonly string[] | undefined): string | null {
  const key = typeof header === 'string' ? header.trim() : '';
  if (key === '') return null;
  return key.length <= MAX_KEY_CHARS ? key : createHash('sha256').update(key).digest('hex');
}

function parse(body: Buffer): Json {
  try {
    return JSON.parse(body.toString('utf8').replace(/^\ufeff/, ''));
  } catch (cause) {
    throw new Fault(
      'invalid_json',
      'The body must be valid JSON. Send {"monitor_id": "…"} with content-type: application/json.',
      { param: 'body', cause },
    );
  }
}

function listIgnoredFields(given: JsonObject): string[] {
  const ignored: string[] = [];
  for (const name in given)
    if (
      !HEARTBEAT_FIELDS.has(name) &&
      ignored.push(name.slice(0, MAX_LISTED_FIELD_CHARS)) === MAX_LISTED_FIELDS
    )
      break;
  return ignored;
}

function serializeMetadata(metadata: Json | undefined): { json: string | null; dropped: string | null } {
  if (metadata === undefined || metadata === null) return { json: null, dropped: null };
  if (!isJsonObject(metadata))
    return { json: null, dropped: 'metadata was not stored, because it is not a JSON object' };
  const json = JSON.stringify(metadata);
  const bytes = Buffer.byteLength(json);
  if (bytes <= MAX_BEAT_METADATA_BYTES) return { json, dropped: null };
  return {
    json: null,
    dropped: `metadata was not stored, because it has ${bytes} bytes; the maximum is ${MAX_BEAT_METADATA_BYTES}`,
  };
}
