/** Returns the display name of a breaker, which is its ID. Omits the credential if it is `none`. */
export function formatBreakerName(id: string): string {
  return id.replace(/@none$/, '');
}
