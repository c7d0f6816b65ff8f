/**
 * The store cannot be used as it stands: a wrong path, a damaged file, a newer schema, a second
 * process. Thrown while starting only; `main.ts` prints the message alone and exits.
 */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable';
}
