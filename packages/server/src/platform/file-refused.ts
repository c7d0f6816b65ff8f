import type { ConfigIssue } from '@floe/contract/config/references';

/** What floe.yaml says cannot be, as things stand in the store; nothing of it is taken over. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    super(issues.map(({ message }) => message).join('\n'));
    this.issues = issues;
  }
}
