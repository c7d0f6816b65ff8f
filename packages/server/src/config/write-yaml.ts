import type { JsonObject } from '@floe/contract/json';
import { Document } from 'yaml';

/** A floe.yaml with these lines of comment on top. Text that would be read as something else is quoted. */
export function writeYaml(tree: JsonObject, comment: readonly string[]): string {
  const document = new Document(tree, { version: '1.2' });
  document.commentBefore = comment.map((line) => ` ${line}`).join('\n');
  return document.toString({ lineWidth: 110, singleQuote: false });
}
