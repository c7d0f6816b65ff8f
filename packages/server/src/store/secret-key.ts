import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseReader, DatabaseWriter } from './ports.ts';
import { getSetting, storeSetting } from './settings.ts';
import { StoreUnusableError } from './store-unusable-error.ts';

export const SECRET_KEY_MIN_CHARS = 32;

export interface SecretKeyOptions {
  readonly dataDir: string;
  /** Value of `FLOE_SECRET_KEY`. */
  readonly given?: string;
}

export interface SecretKey {
  /** 32 bytes. */
  readonly key: Buffer;
  /** There was none: `remember` writes the file. */
  readonly isGenerated: boolean;
  /** Where a key that is not given is read from. */
  readonly file: string;
  /** Writes the key's fingerprint, and a generated key, to the data directory. Only for a key that the database has accepted. */
  remember(): void;
}

/**
 * The installation's key: the one given, else the one in `<dataDir>/secret.key`, else a new one.
 * `<dataDir>/secret.fingerprint` remembers which it was, for another one would make every
 * platform key and credential unreadable. Writes nothing: `bindDatabaseToSecretKey` does, once the database has
 * accepted the key. Blocks; call it while starting.
 *
 * @throws StoreUnusableError when the key is short, is another than last time, is gone, or its file is open to other users.
 */
export function loadSecretKey({ dataDir, given }: SecretKeyOptions): SecretKey {
  const file = join(dataDir, 'secret.key');
  const fingerprintFile = join(dataDir, 'secret.fingerprint');
  if (given !== undefined && given.length < SECRET_KEY_MIN_CHARS)
    throw new StoreUnusableError(
      `FLOE_SECRET_KEY must have at least ${SECRET_KEY_MIN_CHARS} characters, got ${given.length}. If you unset it, Floe generates a key.`,
    );
  const kept = given ?? readSecretFile(file);
  if (kept !== null && kept.length < SECRET_KEY_MIN_CHARS)
    throw new StoreUnusableError(
      `The secret key file ${file} is truncated. Restore the file, or set FLOE_SECRET_KEY to the key that it contained.`,
    );
  const fingerprint = readTextIfExists(fingerprintFile);
  if (kept === null && fingerprint !== null)
    throw new StoreUnusableError(
      `The secret key of ${dataDir} is missing. Restore ${file}, or set FLOE_SECRET_KEY to the previous key.`,
    );
  const secret = kept ?? randomBytes(32).toString('base64url');
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'floe secret key', 32));
  const own = computeFingerprint(key);
  if (fingerprint !== null && fingerprint !== own)
    throw new StoreUnusableError(
      `${given === undefined ? file : 'FLOE_SECRET_KEY'} is not the secret key that ${dataDir} was used with before. Use the previous key: no stored key or credential can be read with a different one. If you copied a database of another installation to this directory, use its key and delete ${fingerprintFile}.`,
    );
  const remember = () => {
    if (kept === null) writeDurably(file, secret);
    if (fingerprint === null) writeDurably(fingerprintFile, own);
  };
  return { key, isGenerated: kept === null, file, remember };
}

/** A restored database may belong to another key than the one before: it checks its key itself. Deletes what the data directory remembers. */
export function forgetSecretFingerprint(dataDir: string): void {
  rmSync(join(dataDir, 'secret.fingerprint'), { force: true });
}

/** For PostgreSQL without `FLOE_SECRET_KEY`: a generated key would be another one in each process. */
export function missingSharedSecretError(): StoreUnusableError {
  return new StoreUnusableError(
    'PostgreSQL requires FLOE_SECRET_KEY, with the same value for every process that uses the database. Example: the output of openssl rand -hex 32.',
  );
}

function computeFingerprint(key: Buffer): string {
  return createHmac('sha256', key).update('floe fingerprint').digest('hex').slice(0, 32);
}

/** Bits of a file's mode that are for its group and for everyone. */
const GROUP_AND_OTHERS_BITS = 0o077;
const FINGERPRINT_SETTING = 'secret_fingerprint';

/**
 * Compares the key with the fingerprint in the database: a database may be moved, restored or shared between
 * processes without the data directory whose fingerprint is a file. Writes nothing.
 *
 * @throws StoreUnusableError when the database was used with another key.
 */
export async function requireSecretKeyOfDatabase(
  reader: DatabaseReader,
  { key, isGenerated, file }: SecretKey,
): Promise<void> {
  const kept = await getSetting(reader, FINGERPRINT_SETTING);
  if (kept === undefined || kept === computeFingerprint(key)) return;
  throw new StoreUnusableError(
    isGenerated
      ? `The database needs the secret key it was created with. Copy that secret.key to ${file} (chmod 600), or set FLOE_SECRET_KEY, then start again.`
      : `The database was used with a different secret key. Set FLOE_SECRET_KEY to that key, or copy its secret.key to ${file}. No stored key or credential can be read with a different key.`,
  );
}

/**
 * Accepts the key: checks it, then records it in the data directory and in the database.
 *
 * @throws StoreUnusableError when the database was used with another key; nothing is written then.
 */
export async function bindDatabaseToSecretKey(writer: DatabaseWriter, secret: SecretKey): Promise<void> {
  await requireSecretKeyOfDatabase(writer, secret);
  // The files first: a database bound to a key that was never written could not be opened again.
  secret.remember();
  await storeSetting(writer, FINGERPRINT_SETTING, computeFingerprint(secret.key));
}

/** @throws StoreUnusableError when others on this machine can read the file: whoever has the key can read every credential. */
function readSecretFile(path: string): string | null {
  const text = readTextIfExists(path);
  // Windows has no such bits: there every file seems to have them.
  if (text !== null && process.platform !== 'win32' && (statSync(path).mode & GROUP_AND_OTHERS_BITS) !== 0)
    throw new StoreUnusableError(
      `Other users of this machine can read ${path}, which decrypts every stored credential. Run: chmod 600 ${path}`,
    );
  return text;
}

function readTextIfExists(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreUnusableError(`Cannot read ${path}: ${reason}`, { cause });
  }
}

/** Whole or not at all, on the disk when it returns, readable by the owner alone. */
function writeDurably(path: string, text: string): void {
  const unfinished = `${path}.part`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
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
    throw new StoreUnusableError(`Cannot write ${path}: ${reason}`, { cause });
  }
}
