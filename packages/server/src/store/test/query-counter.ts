import { InsertQueryNode, type KyselyPlugin, ValuesNode } from 'kysely';

/** Counts what the statements of a reader or a transaction read and write. */
export function createQueryCounter() {
  const counts = { statements: 0, mostRows: 0, mostValues: 0, rows: 0 };
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      counts.statements += 1;
      if (InsertQueryNode.is(node) && node.values && ValuesNode.is(node.values))
        counts.mostValues = Math.max(counts.mostValues, node.values.values.length);
      return node;
    },
    transformResult: async ({ result }) => {
      counts.rows += result.rows.length;
      counts.mostRows = Math.max(counts.mostRows, result.rows.length);
      return result;
    },
  };
  return { counts, plugin };
}
