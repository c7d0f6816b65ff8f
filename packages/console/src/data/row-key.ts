let made = 0;

/**
 * Returns a unique key for a new form row that has no ID yet. `crypto.randomUUID` exists only for HTTPS and
 * localhost, but the console also works over plain HTTP.
 */
export function createRowKey(): string {
  made += 1;
  return `new-${made}`;
}
