/** Maximum size of a beat's metadata in bytes of JSON (design: 16 KB). */
const MAX_METADATA_BYTES = 16_384;

/** Metadata that the server accepts. */
export interface ReducedMetadata {
  /** JSON text of an object. Null if the beat has no metadata. */
  readonly json: string | null;
  /** Why a part was omitted. Null if nothing was. */
  readonly dropped: string | null;
}

/**
 * Reduces metadata until the server accepts it, because a beat is more important than its metadata. A value
 * that is not a JSON object is omitted. If an object has more than 16 KB, its largest fields are replaced
 * with notes until it fits. Never throws.
 */
export function reduceMetadata(metadata: unknown): ReducedMetadata {
  if (metadata === undefined || metadata === null) return { json: null, dropped: null };
  let json: string | undefined;
  try {
    json = JSON.stringify(metadata);
  } catch (error) {
    return {
      json: null,
      dropped: `metadata was not sent, because it cannot be serialized as JSON: ${describeThrownValue(error)}`,
    };
  }
  if (json === undefined || !json.startsWith('{'))
    return { json: null, dropped: 'metadata was not sent, because it is not a JSON object' };
  return utf8Length(json) <= MAX_METADATA_BYTES ? { json, dropped: null } : shrinkMetadata(json);
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
