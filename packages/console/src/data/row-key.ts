let made = 0;

/**
 * Returns a unique key for a new form row that has no ID yet. Does not use `crypto.randomUUID`, which exists
 * only for HTTPS and localhost, because the console also works over plain HTTP.
 */
export function createRowKey(): string {
  made += 1;
  return `new-${made}`;
}
