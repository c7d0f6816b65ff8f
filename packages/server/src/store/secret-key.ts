import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { FatalError } from '../core/fatal-error.ts';
import { createPrivateDirectory } from './create-private-directory.ts';
import { getSetting, storeSetting } from './settings.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

/** The minimum number of characters of a secret key. */
export const MIN_INSTALLATION_SECRET_KEY_CHARS = 32;

export interface InstallationSecretKeyOptions {
  readonly dataDir: string;
  /** Value of `FLOE_SECRET_KEY`. */
  readonly given?: string;
}

/** The secret key of an installation. */
export interface InstallationSecretKey {
  /** 32 bytes. */
  readonly key: Buffer;
  /** Whether the key was generated because there was none. `remember` writes it to the file. */
  readonly isGenerated: boolean;
  /** Path of the file with the key, if `FLOE_SECRET_KEY` is not set. */
  readonly file: string;
  /**
   * Writes the key's fingerprint, and a generated key, to the data directory. Call it only after the database
   * has accepted the key.
   */
  remember(): void;
}

/**
 * Loads the installation's secret key: the given one, the one in `<dataDir>/secret.key`, or a new one.
 * Compares it with the fingerprint of the last used key in `<dataDir>/secret.fingerprint`, because a
 * different key would make all platform keys and credentials unreadable. Writes nothing; `remember` writes
 * the key after the database has accepted it. Blocks, so it must be called only at startup.
 * @throws FatalError if the key is too short, differs from the last one, is missing, or other users
 * can read its file
 */
export function loadInstallationSecretKey({
  dataDir,
  given,
}: InstallationSecretKeyOptions): InstallationSecretKey {
  const file = join(dataDir, 'secret.key');
  const fingerprintFile = join(dataDir, 'secret.fingerprint');
  if (given !== undefined && given.length < MIN_INSTALLATION_SECRET_KEY_CHARS)
    throw new FatalError(
      `FLOE_SECRET_KEY must be at least ${MIN_INSTALLATION_SECRET_KEY_CHARS} characters long, got ${given.length}. Example: the output of openssl rand -hex 32.`,
    );
  const kept = given ?? readSecretFile(file);
  if (kept !== null && kept.length < MIN_INSTALLATION_SECRET_KEY_CHARS)
    throw new FatalError(
      `The secret key file ${file} is truncated. Restore the file, or set FLOE_SECRET_KEY to the key that it contained.`,
    );
  const fingerprint = readTextIfExists(fingerprintFile);
  if (kept === null && fingerprint !== null)
    throw new FatalError(
      `The secret key for ${dataDir} is missing. Restore ${file}, or set FLOE_SECRET_KEY to the previous key.`,
    );
  const secret = kept ?? randomBytes(32).toString('base64url');
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'floe secret key', 32));
  const own = computeFingerprint(key);
  if (fingerprint !== null && fingerprint !== own)
    throw new FatalError(
      `${given === undefined ? file : 'FLOE_SECRET_KEY'} is not the secret key that ${dataDir} was used with before. Use the previous secret key: with a different key, platform keys do not work, and credentials that were encrypted with the previous key cannot be decrypted. If you copied a database from another installation to this directory, use the key of that installation and delete ${fingerprintFile}.`,
    );
  const remember = () => {
    if (kept === null) writeDurably(file, secret);
    if (fingerprint === null) writeDurably(fingerprintFile, own);
  };
  return { key, isGenerated: kept === null, file, remember };
}

/**
 * Deletes the key fingerprint in the data directory. Call this after a restore, because the restored database may
 * require another key. The key is still checked against the fingerprint in the database.
 */
export function deleteSecretKeyFingerprint(dataDir: string): void {
  rmSync(join(dataDir, 'secret.fingerprint'), { force: true });
}

/**
 * Returns the error for a PostgreSQL installation without `FLOE_SECRET_KEY`. The variable is
 * required, because each process would otherwise generate a different key.
 */
export function createMissingSecretKeyError(): FatalError {
  return new FatalError(
    'FLOE_SECRET_KEY is not set. It is required if the database is PostgreSQL. Set it to the same value for every process that uses the database. To generate a value, run "openssl rand -hex 32".',
  );
}

function computeFingerprint(key: Buffer): string {
  return createHmac('sha256', key).update('floe fingerprint').digest('hex').slice(0, 32);
}

/** Permission bits of a file for its group and for others. */
const GROUP_AND_OTHERS_BITS = 0o077;
const FINGERPRINT_SETTING = 'secret_fingerprint';

/**
 * Compares the secret key with the fingerprint in the database, because a database can be moved, restored or
 * shared without its data directory. Writes nothing.
 * @throws FatalError if the database was used with another key
 */
export async function requireMatchingSecretKey(
  reader: DatabaseReader,
  { key, isGenerated, file }: InstallationSecretKey,
): Promise<void> {
  const kept = await getSetting(reader, FINGERPRINT_SETTING);
  if (kept === undefined || kept === computeFingerprint(key)) return;
  throw new FatalError(
    isGenerated
      ? `The database requires the secret key that it was created with. Copy the original secret.key to ${file} (chmod 600), or set FLOE_SECRET_KEY to the original key. Then start Floe again.`
      : `The database was used with a different secret key. Set FLOE_SECRET_KEY to the original key, or unset FLOE_SECRET_KEY and copy the original secret.key to ${file}. With a different key, platform keys do not work, and credentials that were encrypted with the original key cannot be decrypted.`,
  );
}

/**
 * Verifies the secret key and stores its fingerprint in the data directory and the database.
 *
 * @throws FatalError if the database was used with another key. Nothing is written in this
 * case.
 */
export async function bindDatabaseToSecretKey(
  writer: DatabaseWriter,
  secret: InstallationSecretKey,
): Promise<void> {
  await requireMatchingSecretKey(writer, secret);
  // The files first: if writing them failed afterwards, the database could not be opened again.
  secret.remember();
  await storeSetting(writer, FINGERPRINT_SETTING, computeFingerprint(secret.key));
}

/**
 * Reads the secret key file; null if there is none.
 * @throws FatalError if other users can read the file, because the key decrypts every credential
 */
function readSecretFile(path: string): string | null {
  const text = readTextIfExists(path);
  // Windows has no such bits and reports every file as readable.
  if (text !== null && process.platform !== 'win32' && (statSync(path).mode & GROUP_AND_OTHERS_BITS) !== 0)
    throw new FatalError(
      `Other users of this machine can read ${path}. The file contains the secret key of the installation. Run: chmod 600 ${path}`,
    );
  return text;
}

function readTextIfExists(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FatalError(`Cannot read ${path}: ${reason}. Check the permissions of the file.`, {
      cause,
    });
  }
}

/** Writes a file that only its owner can read, completely or not at all, and syncs it to disk. */
function writeDurably(path: string, text: string): void {
  const unfinished = `${path}.part`;
  try {
    createPrivateDirectory(dirname(path));
    const file = openSync(unfinished, 'w', 0o600);
    try {
      writeSync(file, `${text}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
    const directory = openSync(dirname(path), 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FatalError(
      `Cannot write ${path}: ${reason}. Check the permissions and the free space of the directory.`,
      { cause },
    );
  }
}
