import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * A program that implements the Redis protocol, and the directory of the libraries that it needs.
 */
export interface RedisProgram {
  readonly path: string;
  readonly libraries: string | null;
}

const NAMES = ['redis-server', 'valkey-server'];
/** The server package of Debian and its dependencies. They are unpacked and not installed. */
const PACKAGES = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1'];

/**
 * Finds the Redis or Valkey server on this host. If there is none, unpacks Debian's package once
 * into `cache`.
 *
 * @throws Error with instructions if neither is possible
 */
export function findRedis(
  cache: string,
  places: readonly string[] = (process.env['PATH'] ?? '').split(delimiter),
): RedisProgram {
  for (const place of places)
    for (const name of NAMES) {
      const path = join(place, name);
      if (place !== '' && existsSync(path)) return { path, libraries: null };
    }
  return unpackDebian(cache);
}

function unpackDebian(cache: string): RedisProgram {
  const home = join(cache, 'unpacked');
  if (!existsSync(home)) fetchDebian(cache, home);
  const libraries = readdirSync(join(home, 'usr', 'lib')).find((name) => name.endsWith('-linux-gnu'));
  return {
    path: join(home, 'usr', 'bin', 'redis-server'),
    libraries: libraries === undefined ? null : join(home, 'usr', 'lib', libraries),
  };
}

function fetchDebian(cache: string, home: string): void {
  process.stderr.write(`floe: no Redis on this machine; unpacking Debian's into ${cache} (once)\n`);
  mkdirSync(cache, { recursive: true });
  const temp = mkdtempSync(join(cache, 'fetching-'));
  run('apt-get', ['download', ...PACKAGES], temp, 'apt-get could not fetch redis-server');
  const root = join(temp, 'root');
  for (const file of readdirSync(temp).filter((name) => name.endsWith('.deb')))
    run('dpkg-deb', ['--extract', file, root], temp, `dpkg-deb could not unpack ${file}`);
  try {
    renameSync(root, home);
  } catch (error) {
    // Another process, which started at the same time, was faster.
    if (!existsSync(home)) throw error;
  }
  rmSync(temp, { recursive: true, force: true });
}

function run(program: string, args: readonly string[], cwd: string, failure: string): void {
  const { status } = spawnSync(program, args, { cwd, stdio: ['ignore', 2, 2] });
  if (status !== 0)
    throw new Error(
      `The tests need a Redis or Valkey and ${failure}. Install one (apt-get install redis-server), or set FLOE_TEST_REDIS_URL to one whose data may be deleted.`,
    );
}
