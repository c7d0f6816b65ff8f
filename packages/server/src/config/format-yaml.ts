import type { JsonObject } from '@floe/contract/json';
import { Document } from 'yaml';

/**
 * Formats a tree as floe.yaml, with comment lines at the top. Quotes text that YAML would otherwise
 * read as another type.
 */
export function formatYaml(tree: JsonObject, comment: readonly string[]): string {
  const document = new Document(tree, { version: '1.2' });
  document.commentBefore = comment.map((line) => ` ${line}`).join('\n');
  return document.toString({ lineWidth: 110, singleQuote: false });
}
