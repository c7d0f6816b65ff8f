/**
 * Thrown if the user must correct the command line, an environment variable or a file. Only the message is
 * printed. The exit code is 2, unless the command sets `usageErrorCode`.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
