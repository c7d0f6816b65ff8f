import type { ConfigIssue } from '@floe/contract/config/cross-object-rules';

/** Thrown if floe.yaml conflicts with stored resources. In this case, nothing was changed. */
export class ConfigFileRejectedError extends Error {
  override readonly name = 'ConfigFileRejectedError';
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    super(issues.map(({ message }) => message).join('\n'));
    this.issues = issues;
  }
}
