/** Returns the display name of a breaker: its ID, without the credential if that is `none`. */
export function breakerName(id: string): string {
  return id.replace(/@none$/, '');
}
