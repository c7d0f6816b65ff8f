/** A field of a resource that two versions have different values of. */
export interface FieldChange {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** What differs between two versions, by their top-level fields, for people. Pure. */
export function fieldChanges(before: object, after: object): FieldChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const [old, next] = [textOf(Reflect.get(before, name)), textOf(Reflect.get(after, name))];
    return old === next ? [] : [{ name: name.replaceAll('_', ' '), before: old, after: next }];
  });
}

function textOf(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
