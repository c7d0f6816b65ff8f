/** Maximum size of a beat's metadata in bytes of JSON (design: 16 KB). */
const MAX_METADATA_BYTES = 16_384;
const NOT_A_JSON_OBJECT = 'metadata was not sent, because it is not a JSON object';

/** Metadata that the server accepts. */
export interface ReducedMetadata {
  /** JSON text of an object. Null if the beat has no metadata. */
  readonly json: string | null;
  /** Why a part was omitted. Null if nothing was. */
  readonly dropped: string | null;
}

/**
 * Reduces metadata until the server accepts it, because a beat is more important than its metadata. Omits a value
 * that is not a JSON object, and fields that cannot be serialized. If an object has more than 16 KB, its largest
 * fields are replaced with notes until it fits. Never throws.
 */
export function reduceMetadata(metadata: unknown): ReducedMetadata {
  if (metadata === undefined || metadata === null) return { json: null, dropped: null };
  const serialized = serializeMetadata(metadata);
  const { json, dropped } = serialized;
  if (json === null || utf8Length(json) <= MAX_METADATA_BYTES) return serialized;
  const smaller = shrinkMetadata(json);
  return dropped === null ? smaller : { ...smaller, dropped: `${dropped}; ${smaller.dropped}` };
}

function serializeMetadata(metadata: unknown): ReducedMetadata {
  try {
    const json = JSON.stringify(metadata);
    if (json?.startsWith('{')) return { json, dropped: null };
  } catch (error) {
    return serializeFields(metadata, error);
  }
  return { json: null, dropped: NOT_A_JSON_OBJECT };
}

/** Serializes the fields of metadata that can be serialized. `error` is the reason why not all of them can be. */
function serializeFields(metadata: unknown, error: unknown): ReducedMetadata {
  const fields: string[] = [];
  const omitted: string[] = [];
  for (const name of fieldNamesOf(metadata))
    try {
      const value = JSON.stringify(Reflect.get(Object(metadata), name));
      if (value !== undefined) fields.push(`${JSON.stringify(name)}:${value}`);
    } catch {
      omitted.push(name);
    }
  if (fields.length === 0)
    return {
      json: null,
      dropped: `metadata was not sent, because it cannot be serialized as JSON: ${describeThrownValue(error)}`,
    };
  const json = `{${fields.join(',')}}`;
  if (omitted.length === 0) return { json, dropped: null };
  return {
    json,
    dropped: `these fields of the metadata were not sent, because they cannot be serialized as JSON: ${omitted.join(', ')}`,
  };
}

/** Returns no names for a value that is not an object or that cannot be examined, such as a revoked proxy. */
function fieldNamesOf(metadata: unknown): string[] {
  try {
    return isPlainMetadata(metadata) ? Object.keys(metadata) : [];
  } catch {
    return [];
  }
}

function isPlainMetadata(metadata: unknown): metadata is object {
  return typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
}

/** Metadata with additional fields. */
export interface ExtendedMetadata {
  readonly value: Readonly<Record<string, unknown>>;
  /** Why only the additional fields are sent. Null if the metadata is sent too. */
  readonly problem: string | null;
}

/**
 * Adds fields to metadata. Does not read the fields of the metadata, because a getter may throw. A field that cannot
 * be read is omitted later. Never throws.
 */
export function addToMetadata(
  metadata: unknown,
  fields: Readonly<Record<string, unknown>>,
): ExtendedMetadata {
  if (metadata === undefined || metadata === null) return { value: fields, problem: null };
  const merged: Record<string, unknown> = {};
  try {
    if (!isPlainMetadata(metadata)) return { value: fields, problem: NOT_A_JSON_OBJECT };
    const own = Object.getOwnPropertyDescriptors(metadata);
    const value = Object.defineProperties(merged, { ...own, ...Object.getOwnPropertyDescriptors(fields) });
    return { value, problem: null };
  } catch (error) {
    return { value: fields, problem: `metadata was not sent: ${describeThrownValue(error)}` };
  }
}

function shrinkMetadata(json: string): ReducedMetadata {
  const members: Map<string, unknown> = new Map(Object.entries(JSON.parse(json)));
  const sizes = [...members].map(([key, value]) => ({ key, bytes: utf8Length(JSON.stringify(value)) }));
  sizes.sort((a, b) => b.bytes - a.bytes);
  const removed: string[] = [];
  for (const { key, bytes } of sizes) {
    members.set(key, `[${bytes} bytes removed]`);
    removed.push(key);
    const smaller = JSON.stringify(Object.fromEntries(members));
    if (utf8Length(smaller) <= MAX_METADATA_BYTES)
      return {
        json: smaller,
        dropped: `metadata exceeds ${MAX_METADATA_BYTES} bytes, so the values of these fields were removed: ${removed.join(', ')}`,
      };
  }
  return { json: null, dropped: `metadata was not sent, because it exceeds ${MAX_METADATA_BYTES} bytes` };
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Returns the message of a thrown value, which may be of any type. Never throws. */
export function describeThrownValue(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return 'unknown error';
  }
}
