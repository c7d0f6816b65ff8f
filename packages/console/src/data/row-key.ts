let made = 0;

/**
 * Tells a new row of a form from all others while it has no id. Browsers make UUIDs for pages of `https` and this machine
 * only, and consoles are opened by plain HTTP too.
 */
export function createRowKey(): string {
  made += 1;
  return `new-${made}`;
}
