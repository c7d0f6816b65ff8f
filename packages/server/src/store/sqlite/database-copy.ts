import { open, rename, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { StoreUnusableError } from '../store-unusable-error.ts';

/** Bytes that a copy of a database will have: its pages without those that are free. */
export const COPY_SIZE_SQL = `select (select page_count from pragma_page_count) * 1.0
  * (select page_size from pragma_page_size)
  - (select freelist_count from pragma_freelist_count) * 1.0 * (select page_size from pragma_page_size) as bytes`;

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

export interface DatabaseCopyOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Room on the disk that holds a directory; the system is asked unless given. */
  readonly freeBytes?: (directory: string) => Promise<number>;
}

export interface DatabaseCopy {
  readonly from: string;
  readonly to: string;
  /** What it will have, by `COPY_SIZE_SQL`. */
  readonly bytes: number;
  /** What it is made for, after its name. */
  readonly purpose?: string;
  /** Writes it under another name, and may take minutes. */
  write(unfinished: string): unknown;
}

/**
 * Makes a copy that has its name once it is whole and on the disk, readable by its owner alone. What a killed process
 * left of one is thrown away by the next.
 *
 * @throws StoreUnusableError when there is no room for it, before anything is written, or it cannot be written
 */
export async function writeDatabaseCopy(
  { from, to, bytes, purpose = '', write }: DatabaseCopy,
  { log, clock, freeBytes = readFreeBytes }: DatabaseCopyOptions,
): Promise<void> {
  const unfinished = `${to}.part`;
  const started = clock.monotonic();
  try {
    await rm(unfinished, { force: true });
    const free = await requireFreeSpace(to, bytes, freeBytes);
    const places = { from, to, bytes, free_bytes: free };
    log.info(places, `database copy${purpose} started; a large database takes minutes`);
    await write(unfinished);
    const file = await open(unfinished, 'r+');
    await file.chmod(0o600);
    await file.sync();
    await file.close();
    await rename(unfinished, to);
    log.info({ to, duration_ms: Math.round(clock.monotonic() - started) }, 'database was copied');
  } catch (cause) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw copyFailedError(from, to, cause, purpose);
  }
}

/** Where a database goes before the migration of this number, and what the copy is for. */
export function migrationCopyTarget(
  path: string,
  number: number,
): Pick<DatabaseCopy, 'to'> & { readonly purpose: string } {
  return { to: `${path}.before-${number}`, purpose: ' before migrating it' };
}

/**
 * Room on the disk for a copy of so many bytes at `to`; null when the system does not say.
 *
 * @throws Error when it is not enough
 */
export async function requireFreeSpace(
  to: string,
  bytes: number,
  freeBytes = readFreeBytes,
): Promise<number | null> {
  const free = await freeBytes(dirname(to)).catch(() => null);
  if (free !== null && free < bytes)
    throw new Error(
      `the copy needs ${formatBytes(bytes)}, but ${dirname(to)} has only ${formatBytes(free)} free. Free disk space and try again.`,
    );
  return free;
}

export function copyFailedError(from: string, to: string, cause: unknown, purpose = ''): StoreUnusableError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StoreUnusableError(`Cannot copy ${from} to ${to}${purpose}: ${reason}`, { cause });
}

async function readFreeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

function formatBytes(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1000)));
  return `${Math.round(bytes / 1000 ** step)} ${UNITS[step]}`;
}
