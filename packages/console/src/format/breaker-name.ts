/** Returns the display name of a breaker: its ID, without the credential if that is `none`. */
export function formatBreakerName(id: string): string {
  return id.replace(/@none$/, '');
}
