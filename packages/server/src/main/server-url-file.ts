import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'server.json';

/**
 * Writes into the data directory where this process is reached, so that commands beside it can print links that work.
 * Its port may come from an environment that the command does not have.
 *
 * @returns removes it again
 */
export function writeServerUrl(dataDir: string, url: string): () => void {
  const path = join(dataDir, FILE);
  writeFileSync(path, `${JSON.stringify({ pid: process.pid, url })}\n`, { mode: 0o600 });
  return () => rmSync(path, { force: true });
}

/** The base URL of the server that runs on this data directory, or null when none does. */
export function readServerUrl(dataDir: string): string | null {
  let text: string;
  try {
    text = readFileSync(join(dataDir, FILE), 'utf8');
  } catch {
    return null;
  }
  const found = /^\{"pid":(\d+),"url":"([^"\\]+)"\}\n$/.exec(text);
  return found?.[2] !== undefined && isProcessAlive(Number(found[1])) ? found[2] : null;
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
