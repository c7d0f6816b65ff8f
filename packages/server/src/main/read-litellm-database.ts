import { text } from 'node:stream/consumers';
import { readLitellmTables } from '../store/litellm-tables.ts';

/**
 * For `floe import litellm --database`: reads the URL from standard input, where no list of processes shows it, and
 * prints the rows as JSON. Needs no configuration of Floe.
 */
export async function readLitellmDatabase(): Promise<void> {
  const url = (await text(process.stdin)).trim();
  process.stdout.write(`${JSON.stringify(await readLitellmTables(url))}\n`);
}
