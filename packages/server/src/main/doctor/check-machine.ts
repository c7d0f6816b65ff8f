import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  createFailedFinding,
  createPassedFinding,
  createSkippedFinding,
  createWarningFinding,
  type DoctorFinding,
} from './doctor-finding.ts';

const MEBIBYTE = 2 ** 20;
/** Minimum free disk space. With less, the spool and the database soon stop accepting rows. */
const MIN_FREE_BYTES = 100 * MEBIBYTE;
const LOW_FREE_BYTES = 1024 * MEBIBYTE;
const GROUP_AND_OTHERS_BITS = 0o077;

/** Checks that this user can create files in the data directory, and that no one else can read it. */
export function checkDataDirectory(dataDir: string): DoctorFinding {
  if (!existsSync(dataDir)) {
    const parent = closestExisting(dataDir);
    if (isWritable(parent))
      return createPassedFinding('data_directory', `${dataDir} will be created at the first start`);
    return createFailedFinding(
      'data_directory',
      `${dataDir} does not exist and cannot be created in ${parent}`,
      'Create the directory and make the user that runs Floe its owner, or set FLOE_DATA_DIR to another directory.',
    );
  }
  if (!statSync(dataDir).isDirectory())
    return createFailedFinding(
      'data_directory',
      `${dataDir} is not a directory`,
      'Set FLOE_DATA_DIR to a directory.',
    );
  if (!isWritable(dataDir))
    return createFailedFinding(
      'data_directory',
      `the current user cannot write to ${dataDir}`,
      'Run Floe as the owner of the directory, or change the owner with chown.',
    );
  if (process.platform !== 'win32' && (statSync(dataDir).mode & GROUP_AND_OTHERS_BITS) !== 0)
    return createWarningFinding(
      'data_directory',
      `other users of this machine can access ${dataDir}`,
      `Run: chmod 700 ${dataDir}`,
    );
  return createPassedFinding('data_directory', `${dataDir} is writable`);
}

/**
 * Checks the free disk space.
 * @param databaseBytes size of the SQLite database; 0 if there is none
 */
export async function checkDisk(dataDir: string, databaseBytes: number): Promise<DoctorFinding> {
  const { bavail, bsize } = await statfs(closestExisting(dataDir));
  const free = bavail * bsize;
  const message = `${formatBytes(free)} free on the disk of ${dataDir}`;
  const remedy = 'Free up disk space, or move the data directory to a larger disk.';
  if (free < MIN_FREE_BYTES) return createFailedFinding('disk', message, remedy);
  if (free < LOW_FREE_BYTES) return createWarningFinding('disk', message, remedy);
  if (free < databaseBytes)
    return createWarningFinding(
      'disk',
      `${message}; the database is ${formatBytes(databaseBytes)}, and an upgrade first copies it`,
      remedy,
    );
  return createPassedFinding('disk', message);
}

/**
 * Difference between clocks that causes a warning. A larger one makes processes disagree about limits and
 * schedules.
 */
const CLOCK_WARNING_MS = 1_000;
const CLOCK_ERROR_MS = 30_000;
/** The earliest plausible time, because Floe did not exist before. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);

/**
 * Checks the host's clock.
 * @param offsets by how much the clock of each store is ahead of this host, in milliseconds, by the store's
 * name
 */
export function checkClock(nowMs: number, offsets: ReadonlyMap<string, number>): DoctorFinding {
  const remedy = 'Synchronize the clocks of all machines with NTP.';
  if (nowMs < EARLIEST_MS)
    return createFailedFinding(
      'clock',
      `the clock of this machine shows ${new Date(nowMs).toISOString()}`,
      remedy,
    );
  const [worst] = [...offsets].sort(([, one], [, other]) => Math.abs(other) - Math.abs(one));
  if (!worst)
    return createSkippedFinding('clock', 'there is no PostgreSQL, Redis or Valkey to compare the clock with');
  const [name, offsetMs] = worst;
  const distance = Math.abs(offsetMs);
  const direction = offsetMs > 0 ? 'ahead of' : 'behind';
  const message = `the clock of ${name} is ${(distance / 1000).toFixed(1)} s ${direction} the clock of this machine`;
  if (distance > CLOCK_ERROR_MS) return createFailedFinding('clock', message, remedy);
  if (distance > CLOCK_WARNING_MS) return createWarningFinding('clock', message, remedy);
  return createPassedFinding('clock', `the clocks of this machine and ${name} agree`);
}

function closestExisting(path: string): string {
  let current = path;
  while (!existsSync(current) && dirname(current) !== current) current = dirname(current);
  return current;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function formatBytes(bytes: number): string {
  return bytes >= LOW_FREE_BYTES
    ? `${(bytes / 2 ** 30).toFixed(1)} GB`
    : `${Math.round(bytes / MEBIBYTE)} MB`;
}

/** File descriptors that a request needs: the connection of the client, and the connection to the provider. */
const OPEN_FILES_PER_REQUEST = 2;

/** Checks that the open file limit permits the maximum number of requests in progress. */
export function checkOpenFiles(maxRequests: number, limit: number | null): DoctorFinding {
  if (limit === null)
    return createSkippedFinding('open_files', 'the open file limit can only be read on Linux');
  const needed = maxRequests * OPEN_FILES_PER_REQUEST;
  if (limit >= needed)
    return createPassedFinding(
      'open_files',
      `a process that is started like this command can have ${limit} files and connections open`,
    );
  return createWarningFinding(
    'open_files',
    `a process that is started like this command can have ${limit} files and connections open, but ${maxRequests} concurrent requests need up to ${needed}`,
    'Increase the limit, for example with LimitNOFILE in systemd, with ulimits in Compose, or with ulimit -n in a shell. Or reduce server.overload.max_concurrent_requests.',
  );
}
