/**
 * The store cannot be used as it stands: a wrong path, a damaged file, a newer schema, a second
 * process. Thrown while starting only; `main.ts` prints the message alone and exits.
 */
export class StoreUnusableError extends Error {
  override readonly name = 'StoreUnusableError';
  /** 2 for a mistake at the command line. */
  readonly exitCode: 1 | 2;

  constructor(message: string, options: ErrorOptions & { readonly exitCode?: 1 | 2 } = {}) {
    super(message, options);
    this.exitCode = options.exitCode ?? 1;
  }
}
