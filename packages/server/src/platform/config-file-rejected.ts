import type { ConfigIssue } from '@floe/contract/config/references';

/** What floe.yaml says cannot be, as things stand in the store; nothing of it is taken over. */
export class ConfigFileRejectedError extends Error {
  override readonly name = 'ConfigFileRejectedError';
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    super(issues.map(({ message }) => message).join('\n'));
    this.issues = issues;
  }
}
