import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/**
 * Names the process that holds the lock of this data directory. The one that holds it next has the same name, for this
 * one is gone by then; a copy of the directory on another host has another name. Blocks; call it while starting.
 */
export function loadProcessId(dataDir: string): string {
  const file = join(dataDir, 'process.id');
  let id = '';
  try {
    id = readFileSync(file, 'utf8').trim();
  } catch {
    // The first start here.
  }
  if (!/^[0-9a-f]{16}$/.test(id)) {
    id = randomBytes(8).toString('hex');
    writeFileSync(file, `${id}\n`, { mode: 0o600 });
  }
  return `${id}@${hostname()}`;
}
