/** The id of a breaker as the console shows it: without the credential `none`, which stands for no credential. */
export function breakerName(id: string): string {
  return id.replace(/@none$/, '');
}
