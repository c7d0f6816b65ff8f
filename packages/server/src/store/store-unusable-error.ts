/**
 * Thrown at startup if the database or data directory cannot be used, for example because of a wrong path, a
 * damaged file, a newer schema, or a second process. The message is meant for the operator.
 */
export class StoreUnusableError extends Error {
  override readonly name = 'StoreUnusableError';
  /** Exit code of the process: 2 for an error on the command line, otherwise 1. */
  readonly exitCode: 1 | 2;

  constructor(message: string, options: ErrorOptions & { readonly exitCode?: 1 | 2 } = {}) {
    super(message, options);
    this.exitCode = options.exitCode ?? 1;
  }
}
