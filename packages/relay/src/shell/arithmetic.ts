/**
 * A subscript that runs a command when it is evaluated, such as `a[$(command)]` ("Shell Arithmetic" in the
 * manual of bash).
 */
const SUBSCRIPT = /\w\[[^\]]*(?:\$\(|`)/;

/** Returns whether an arithmetic expression contains a subscript that runs a command. */
export function hasSubscriptCode(text: string): boolean {
  return SUBSCRIPT.test(text);
}

/**
 * Returns the part of an arithmetic expression that starts with the subscript that `hasSubscriptCode` finds.
 */
export function extractSubscriptCode(text: string): string {
  return text.slice(text.search(SUBSCRIPT));
}
