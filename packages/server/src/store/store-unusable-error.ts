/**
 * Thrown at startup if the database or data directory cannot be used, for example because of a
 * wrong path, a damaged file, a newer schema, or a second process. `main.ts` prints the message and
 * exits.
 */
export class StoreUnusableError extends Error {
  override readonly name = 'StoreUnusableError';
  /** 2 for an error on the command line. */
  readonly exitCode: 1 | 2;

  constructor(message: string, options: ErrorOptions & { readonly exitCode?: 1 | 2 } = {}) {
    super(message, options);
    this.exitCode = options.exitCode ?? 1;
  }
}
