import crypto, { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FloeConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';

/** OWASP Password Storage Cheat Sheet, Argon2id: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const TAG_BYTES = 32;
const SALT_BYTES = 16;
/** A hash uses one of 16 libuv threads for about 30 ms. The others must serve files and DNS. */
const MAX_CONCURRENT_HASHES = 2;
const MAX_WAITING_HASHES = 64;

/** PHC string of RFC 9106. Limits the parameters, so that a stored text cannot use a gigabyte of memory. */
const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;
const MAX_MEMORY_KIB = 131_072;

/** Argon2 of Node.js. Absent before Node.js 24.7, where password sign-in is disabled. */
type Argon2 = (
  algorithm: 'argon2id',
  parameters: {
    readonly message: Buffer;
    readonly nonce: Buffer;
    readonly parallelism: number;
    readonly tagLength: number;
    readonly memory: number;
    readonly passes: number;
  },
  done: (error: Error | null, tag: Buffer) => void,
) => void;

/** Returns whether this Node.js version can hash passwords. */
export function canHashPasswords(): boolean {
  return typeof crypto.argon2 === 'function';
}

/**
 * Returns why no one can sign in with a password although `auth.password` is true, and what an operator can do.
 * Null if passwords work or are disabled.
 *
 * @param isSupported whether this Node.js version can hash passwords. Replaced only in tests.
 */
export function findPasswordSignInProblem(
  { password }: Pick<FloeConfig['auth'], 'password'>,
  isSupported = canHashPasswords(),
): { readonly message: string; readonly remedy: string } | null {
  if (!password || isSupported) return null;
  return {
    message: `members cannot sign in with a password, because Node.js ${process.versions.node} does not support Argon2`,
    remedy:
      'Use Node.js 24 or 26. Or set auth.password to false in floe.yaml, and set up sign-in with an identity provider or a passkey.',
  };
}

/** Hashes and verifies passwords, and limits the number of concurrent calculations. */
export interface PasswordHasher {
  /** @throws Fault `overloaded` if too many calls are waiting */
  hash(password: string): Promise<string>;
  /**
   * Whether `password` matches `stored`. Always computes one hash, even if nothing is stored (null), so
   * that the time does not reveal whether an account exists.
   *
   * @throws Fault `overloaded` if too many calls are waiting
   */
  verify(password: string, stored: string | null): Promise<boolean>;
  /** Whether a stored hash has other parameters than new ones. */
  isOutdated(stored: string): boolean;
}

interface Argon2Parameters {
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

/**
 * Creates a password hasher.
 * @param argon2 the hash function. Replaced only in tests that count calls.
 */
export function createPasswordHasher(argon2: Argon2 = crypto.argon2): PasswordHasher {
  const turns = new HashQueue();
  const nobodys = { ...CURRENT_PARAMETERS, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) };

  function tagOf(password: string, of: Argon2Parameters): Promise<Buffer> {
    return turns.run(
      () =>
        new Promise((resolve, reject) => {
          const message = Buffer.from(password.normalize('NFKC'));
          const cost = { memory: of.memory, passes: of.passes, parallelism: of.lanes };
          argon2('argon2id', { message, nonce: of.salt, tagLength: of.tag.length, ...cost }, (error, tag) =>
            error ? reject(error) : resolve(tag),
          );
        }),
    );
  }

  return {
    async hash(password) {
      const fresh = { ...CURRENT_PARAMETERS, salt: randomBytes(SALT_BYTES), tag: Buffer.alloc(TAG_BYTES) };
      return formatPhc({ ...fresh, tag: await tagOf(password, fresh) });
    },
    async verify(password, stored) {
      const known = stored === null ? null : parsePhc(stored);
      const wanted = known ?? nobodys;
      const isSame = timingSafeEqual(await tagOf(password, wanted), wanted.tag);
      return isSame && known !== null;
    },
    isOutdated(stored) {
      const known = parsePhc(stored);
      return known?.memory !== MEMORY_KIB || known.passes !== PASSES || known.lanes !== LANES;
    },
  };
}

const CURRENT_PARAMETERS = { memory: MEMORY_KIB, passes: PASSES, lanes: LANES } as const;

function formatPhc({ memory, passes, lanes, salt, tag }: Argon2Parameters): string {
  const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${lanes}$${base64(salt)}$${base64(tag)}`;
}

function parsePhc(text: string): Argon2Parameters | null {
  const [, memory, passes, lanes, salt, tag] = PHC.exec(text) ?? [];
  if (salt === undefined || tag === undefined || Number(memory) > MAX_MEMORY_KIB) return null;
  return {
    memory: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

/** Limits concurrent calls. Others wait in order. */
class HashQueue {
  #free = MAX_CONCURRENT_HASHES;
  readonly #waiting: (() => void)[] = [];

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free === 0) {
      if (this.#waiting.length >= MAX_WAITING_HASHES)
        throw new Fault('overloaded', 'Too many sign-ins are in progress. Try again in a moment.');
      await new Promise<void>((go) => this.#waiting.push(go));
    } else this.#free -= 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
