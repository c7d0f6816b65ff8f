/**
 * An error that ends the process. Its message is for the operator and is printed without a stack trace. Thrown for an invalid command, and if
 * the database or the data directory cannot be used, for example because of a wrong path, a damaged file, a newer schema,
 * or a second process.
 */
export class FatalError extends Error {
  override readonly name = 'FatalError';
  /** Exit code of the process: 2 for an error on the command line, otherwise 1. */
  readonly exitCode: 1 | 2;

  constructor(message: string, options: ErrorOptions & { readonly exitCode?: 1 | 2 } = {}) {
    super(message, options);
    this.exitCode = options.exitCode ?? 1;
  }
}
