/** Joins class names with spaces. Values that are false, null, undefined or empty are omitted. */
export function joinClassNames(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
