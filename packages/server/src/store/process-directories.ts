import { readdirSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../core/log.ts';
import { createPrivateDirectory } from './create-private-directory.ts';
import { type DataDirLock, lockDataDir } from './data-dir-lock.ts';
import { formatSpoolSegmentName, parseSpoolSegmentNumber } from './spool/spool-segment.ts';

/** The spools of a data directory. */
const SPOOLS = ['spool', 'bodies', 'relay-spool'];
const SPEND_JOURNALS = 'spend';
/** The other files of a process. They are not needed after the process has exited. */
const DISPOSABLE = new Set(['process.id', 'uploads', 'server.json', 'secret.fingerprint']);

/**
 * Returns the data directory of one of the processes of a server. The first process uses the configured directory
 * itself. Its files therefore stay in use if the number of processes changes.
 * @param processNumber from 1
 */
export function getProcessDataDir(dataDir: string, processNumber: number): string {
  return processNumber === 1 ? dataDir : join(dataDir, `process-${processNumber}`);
}

/**
 * Locks the data directory for a command that no server may use at the same time, with the subdirectories of all
 * processes. The first process of a server may be restarting, while the others are running.
 * @throws FatalError if a process has a lock
 */
export function lockInstallation(dataDir: string): DataDirLock {
  const locks: DataDirLock[] = [];
  const release = () => {
    for (const lock of locks) lock.release();
  };
  try {
    locks.push(lockDataDir(dataDir));
    for (const name of readdirSync(dataDir))
      if (parseProcessNumber(name) !== null) locks.push(lockDataDir(join(dataDir, name)));
  } catch (error) {
    release();
    throw error;
  }
  return { release };
}

/** Returns the number of the process that uses a subdirectory of the data directory; null for other names. */
function parseProcessNumber(name: string): number | null {
  const number = /^process-(\d{1,6})$/.exec(name)?.[1];
  return number === undefined ? null : Number(number);
}

/**
 * Moves the spools and spend journals of processes whose number exceeds `processCount` into `dataDir`, because no
 * process reads them after the process count is reduced. The caller must hold the lock on `dataDir`, and must not open
 * the spools in `dataDir` before this function has finished.
 * @throws FatalError if one of these processes is running
 */
export async function takeOverProcessDirectories(
  dataDir: string,
  processCount: number,
  log: Log,
): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const number = parseProcessNumber(name);
    if (number === null || number <= processCount) continue;
    const source = join(dataDir, name);
    const lock = lockDataDir(source);
    try {
      const foreign = (await readdir(source)).filter((entry) => !isProcessFile(entry));
      if (foreign.length > 0) {
        log.warn(
          { directory: source, files: foreign.slice(0, 10) },
          'could not merge the directory of a removed process into the data directory, because it contains unknown files; move these files elsewhere, then restart Floe',
        );
        continue;
      }
      for (const spool of SPOOLS) await moveSpool(join(source, spool), join(dataDir, spool), name);
      await moveEntries(join(source, SPEND_JOURNALS), join(dataDir, SPEND_JOURNALS));
    } finally {
      lock.release();
    }
    await rm(source, { recursive: true, force: true });
    log.info(
      { directory: source },
      'this process took over the spool rows and the spend journals of a process that is no longer configured',
    );
  }
}

function isProcessFile(name: string): boolean {
  return (
    [...SPOOLS, SPEND_JOURNALS].includes(name) || DISPOSABLE.has(name) || /^floe\.lock(-\w+)?$/.test(name)
  );
}

/** Moves the files of a spool behind those that the other spool has. Other files get a prefix. */
async function moveSpool(from: string, to: string, prefix: string): Promise<void> {
  const names = await listDirectory(from);
  if (names.length === 0) return;
  createPrivateDirectory(to);
  const present = new Set(await readdir(to));
  let last = Math.max(0, ...[...present].map((name) => parseSpoolSegmentNumber(name) ?? 0));
  for (const name of names.sort()) {
    const isSegment = parseSpoolSegmentNumber(name) !== null;
    if (isSegment) last += 1;
    const target = isSegment ? formatSpoolSegmentName(last) : findFreeName(`${prefix}-${name}`, present);
    present.add(target);
    await rename(join(from, name), join(to, target));
  }
}

/** Returns the name, with a number in front of it if an earlier adoption already used the name. */
function findFreeName(name: string, present: ReadonlySet<string>): string {
  if (!present.has(name)) return name;
  for (let number = 2; ; number += 1) if (!present.has(`${number}-${name}`)) return `${number}-${name}`;
}

/** Moves entries whose names are unique. */
async function moveEntries(from: string, to: string): Promise<void> {
  for (const name of await listDirectory(from)) {
    createPrivateDirectory(to);
    await rename(join(from, name), join(to, name));
  }
}

async function listDirectory(path: string): Promise<string[]> {
  return await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
