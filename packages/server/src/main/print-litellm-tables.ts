import { text } from 'node:stream/consumers';
import { readLitellmTables } from '../store/litellm-tables.ts';

/**
 * Implements `floe import litellm --database`. Reads the URL from standard input, so that it does
 * not appear in the process list, and prints the rows as JSON. Needs no Floe configuration.
 */
export async function printLitellmTables(): Promise<void> {
  const url = (await text(process.stdin)).trim();
  process.stdout.write(`${JSON.stringify(await readLitellmTables(url))}\n`);
}
