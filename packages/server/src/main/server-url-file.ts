import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'server.json';

/**
 * Writes this process's URL to the data directory, so that commands on the same host can print working links.
 * Commands cannot compute it, because the port may come from an environment variable of the server.
 * @returns a function that removes the file
 */
export function writeServerUrl(dataDir: string, url: string): () => void {
  const path = join(dataDir, FILE);
  writeFileSync(path, `${JSON.stringify({ pid: process.pid, url })}\n`, { mode: 0o600 });
  return () => rmSync(path, { force: true });
}

/** Returns the base URL of the server that uses this data directory; null if none is running. */
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
    // EPERM: the process runs as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
