import type { Exchange } from './exchange-record.ts';

/** A hint, never an identity: the first configured header, else what the body says. */
export function endUserOf(x: Exchange): string | null {
  for (const name of x.catalog?.userHeaders ?? []) {
    const value = x.client.headers[name];
    if (typeof value === 'string' && value !== '') return value.slice(0, 256);
  }
  return (x.ask ?? x.opaque)?.user?.slice(0, 256) ?? null;
}
