import { stripUnstorableCharacters } from '../core/unstorable-characters.ts';
import type { Exchange } from './exchange-record.ts';

/** A hint, never an identity: the first configured header, else what the body says. */
export function findEndUser(x: Exchange): string | null {
  for (const name of x.caller.catalog.userHeaders) {
    const value = x.client.headers[name];
    if (typeof value === 'string' && value !== '') return value.slice(0, 256);
  }
  const user = (x.request.prompt ?? x.request.opaque)?.user;
  // Budgets and rows are kept by this name, in databases too that do not hold every text.
  return user === undefined || user === null ? null : stripUnstorableCharacters(user.slice(0, 256));
}
