/** `a[$(command)]`: a subscript that runs a command where it is evaluated ("Shell Arithmetic" in the manual of bash). */
const SUBSCRIPT = /\w\[[^\]]*(?:\$\(|`)/;

export function hasSubscriptCode(text: string): boolean {
  return SUBSCRIPT.test(text);
}

/** The part of a text that an evaluation would expand. */
export function extractSubscriptCode(text: string): string {
  return text.slice(text.search(SUBSCRIPT));
}
