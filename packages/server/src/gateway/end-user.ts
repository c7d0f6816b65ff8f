import { replaceUnstorableCharacters } from '../core/unstorable-characters.ts';
import type { Exchange } from './exchange-record.ts';

/**
 * Returns the end user of a request from the first configured header that is present, or else from the body;
 * null if none is stated. The caller chooses the value, so it is not an authenticated identity.
 */
export function findEndUser(x: Exchange): string | null {
  for (const name of x.caller.catalog.userHeaders) {
    const value = x.client.headers[name];
    if (typeof value === 'string' && value !== '') return value.slice(0, 256);
  }
  const user = (x.request.prompt ?? x.request.opaque)?.user;
  // Budgets and rows are stored under this name, also in databases that do not accept every character.
  return user === undefined || user === null ? null : replaceUnstorableCharacters(user.slice(0, 256));
}
