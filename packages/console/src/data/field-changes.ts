/** A changed field of a resource, as display text. */
export interface FieldChange {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** Fields that every change updates, and which therefore say nothing about the change. */
const ECHOES: ReadonlySet<string> = new Set(['updated_at', 'updated_by']);

/**
 * Returns the fields that differ between two versions of a resource. The name of a nested field contains dots,
 * as in `bodies.keep`.
 */
export function findFieldChanges(before: unknown, after: unknown): readonly FieldChange[] {
  const [old, now] = [flat(before), flat(after)];
  const fields = [...new Set([...old.keys(), ...now.keys()])];
  return fields
    .map((field) => ({ field, before: old.get(field) ?? '', after: now.get(field) ?? '' }))
    .filter(({ field, before, after }) => before !== after && !ECHOES.has(field));
}

/**
 * Flattens an object, so that `{a: {b: 1}}` becomes `a.b` and `1`. Lists stay whole, because a moved entry
 * makes sense only with its neighbors.
 */
function flat(value: unknown, name = '', found = new Map<string, string>()): Map<string, string> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [key, inner] of Object.entries(value))
      flat(inner, name === '' ? key : `${name}.${key}`, found);
  } else if (value !== null && value !== undefined) found.set(name, text(value));
  return found;
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  return JSON.stringify(value);
}
