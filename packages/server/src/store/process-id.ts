import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/**
 * The id of the process that has the lock of this data directory. The next process with the lock has the
 * same id, because the previous one has ended. A copy of the directory on another host has another id.
 * Blocks; call it at the start.
 */
export function loadProcessId(dataDir: string): string {
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
