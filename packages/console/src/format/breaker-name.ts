/** Returns the breaker ID without the credential `none`, which means that there is no credential. */
export function breakerName(id: string): string {
  return id.replace(/@none$/, '');
}
