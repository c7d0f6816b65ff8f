import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that serves Redis' protocol, and the directory of libraries it needs beside it, if any. */
export interface RedisProgram {
  readonly path: string;
  readonly libraries: string | null;
}

const NAMES = ['redis-server', 'valkey-server'];
/** Debian's server, what it links to, and no more: they are unpacked, never installed. */
const PACKAGES = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1'];

/**
 * The Redis or Valkey server of this machine, else Debian's package unpacked into `cache`, once.
 *
 * @throws Error that says what to do when neither is possible.
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
  const temp = join(cache, 'fetching');
  rmSync(temp, { recursive: true, force: true });
  mkdirSync(temp, { recursive: true });
  run('apt-get', ['download', ...PACKAGES], temp, 'apt-get could not fetch redis-server');
  const root = join(temp, 'root');
  for (const file of readdirSync(temp).filter((name) => name.endsWith('.deb')))
    run('dpkg-deb', ['--extract', file, root], temp, `dpkg-deb could not unpack ${file}`);
  renameSync(root, home);
  rmSync(temp, { recursive: true, force: true });
}

function run(program: string, args: readonly string[], cwd: string, failure: string): void {
  const { status } = spawnSync(program, args, { cwd, stdio: ['ignore', 2, 2] });
  if (status !== 0)
    throw new Error(
      `The tests need a Redis or Valkey and ${failure}. Install one (apt-get install redis-server), or set FLOE_TEST_REDIS_URL to one whose data may be deleted.`,
    );
}
