import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const PORTKEY_VERSION = '1.15.2';

/** With any newer one every streamed answer of Portkey is a 500 (its issues 1389 and 1550). */
const HONO_NODE_SERVER_VERSION = '1.13.8';

const HOME = join(import.meta.dirname, '..', '.cache', `portkey-${PORTKEY_VERSION}`);
const MANIFEST = {
  private: true,
  dependencies: { '@portkey-ai/gateway': PORTKEY_VERSION },
  overrides: { '@hono/node-server': HONO_NODE_SERVER_VERSION },
};

/** Installs Portkey's gateway beside the bench, once. Gives the program to run, null when npm fails. */
export function installPortkey(): string | null {
  const entry = join(HOME, 'node_modules', '@portkey-ai', 'gateway', 'build', 'start-server.js');
  if (existsSync(entry)) return entry;
  process.stderr.write(
    `bench: installing @portkey-ai/gateway ${PORTKEY_VERSION} into bench/.cache (25 MB, once)\n`,
  );
  mkdirSync(HOME, { recursive: true });
  writeFileSync(join(HOME, 'package.json'), JSON.stringify(MANIFEST));
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  const done = spawnSync('npm', ['install', ...options], {
    cwd: HOME,
    stdio: ['ignore', 2, 2],
    timeout: 180_000,
  });
  if (done.status === 0 && existsSync(entry)) return entry;
  rmSync(HOME, { recursive: true, force: true });
  return null;
}
