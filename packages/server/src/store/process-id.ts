import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/**
 * Returns the id of the process that has the lock on this data directory. Creates the id at the first start. The
 * next process that gets the lock has the same id, because the previous process has ended. A copy of the directory
 * on another host gets another id. Blocks, so it must be called only at startup.
 */
export function loadOrCreateProcessId(dataDir: string): string {
  const file = join(dataDir, 'process.id');
  let id = '';
  try {
    id = readFileSync(file, 'utf8').trim();
  } catch {
    // The first start with this directory.
  }
  if (!/^[0-9a-f]{16}$/.test(id)) {
    id = randomBytes(8).toString('hex');
    writeFileSync(file, `${id}\n`, { mode: 0o600 });
  }
  return `${id}@${hostname()}`;
}
