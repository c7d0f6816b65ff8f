import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** Creates a directory that is deleted when the test ends. */
export function createTemporaryDirectory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'floe-store-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
