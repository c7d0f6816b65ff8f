/** Joins class names. Omits values that are false, undefined or empty. */
export function joinClassNames(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
