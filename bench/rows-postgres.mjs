// A PostgreSQL server for bench/rows.mjs whose data stays, with the durability that a server has.
import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findPostgres } from '../packages/testkit/src/postgres-programs.ts';
import { freePort } from './src/processes.ts';

/** PostgreSQL refuses to run as root. */
const NOBODY_UID = 65_534;

/** Starts the cluster in a directory. Creates it if it is missing. */
export async function openRowsPostgres(directory, settings = {}) {
  const bin = findPostgres(join(import.meta.dirname, '..', '.runtime', 'postgres'));
  const identity = process.getuid?.() === 0 ? { uid: NOBODY_UID, gid: NOBODY_UID } : {};
  const run = (program, args) => {
    const { status, stdout, stderr } = spawnSync(join(bin, program), args, {
      cwd: '/',
      ...identity,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${program} failed: ${stdout}${stderr}`);
  };
  if (!existsSync(join(directory, 'PG_VERSION'))) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const path of [dirname(directory), directory])
      if (identity.uid) chownSync(path, identity.uid, identity.gid);
    run('initdb', [
      '-D',
      directory,
      '-U',
      'floe',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--no-locale',
      '--no-instructions',
    ]);
  }
  const port = await freePort();
  const all = { ...SETTINGS, ...settings, port };
  const flags = Object.entries(all)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
  run('pg_ctl', ['-D', directory, '-w', '-t', '120', '-l', join(directory, 'log'), '-o', flags, 'start']);
  return {
    pid: Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0]),
    url: `postgres://floe@127.0.0.1:${port}/postgres`,
    stop: async () => run('pg_ctl', ['-D', directory, '-w', '-t', '120', '-m', 'fast', 'stop']),
  };
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '512MB',
  max_wal_size: '4GB',
};
