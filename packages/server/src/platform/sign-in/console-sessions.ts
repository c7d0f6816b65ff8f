import { SIGN_IN_METHODS, type SignInMethod } from '@floe/contract/api/session';
import type { MemberRole } from '@floe/contract/roles';
import type { Clock } from '../../core/clock.ts';
import { createId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import {
  type ConsoleSessionRow,
  deleteLeastRecentlyUsedConsoleSessions,
  findConsoleSessionByToken,
  insertConsoleSession,
  listMembershipsWithRoles,
  type MembershipWithRolesRow,
  rotateConsoleSession,
  updateConsoleSessionLastSeen,
} from '../../store/console-sessions.ts';
import type { Database, DatabaseWriter } from '../../store/store-interfaces.ts';
import { type ConsoleSessionSettings, computeSessionExpiresAt } from './console-session-settings.ts';
import { hasAllRoles, listSessionMemberships, type SessionMembership } from './session-memberships.ts';
import { computeSha256Hex, generateSecretToken, hasSecretTokenFormat } from './tokens.ts';

/**
 * How long after a sign-in or step-up a session may perform operations that require a step-up, in
 * milliseconds.
 */
export const STEP_UP_WINDOW_MS = 10 * 60_000;
/** How long the previous cookie remains valid after a rotation, for requests in progress. */
const ROTATION_OVERLAP_MS = 30_000;
const SEEN_INTERVAL_MS = 60_000;
/** Maximum delay until this process notices sessions that another process ended. */
const CACHE_TTL_MS = 2_000;
const MAX_CACHED_SESSIONS = 5_000;
const MAX_AGENT_CHARS = 200;
/** Maximum number of sessions of a user. If a sign-in exceeds it, Floe ends the least recently used sessions. */
const MAX_SESSIONS_PER_USER = 100;
/** Maximum difference between the clocks of two processes. */
const CLOCK_SKEW_MS = 60_000;

/** A session that has not expired, with its state at the time when it was read. */
export interface ActiveConsoleSession {
  readonly id: string;
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  /** The membership in the session's organization. */
  readonly membership: SessionMembership;
  /** Oldest membership first. */
  readonly memberships: readonly SessionMembership[];
  readonly method: SignInMethod;
  /** Name of the issuer that started the session. Null for other sign-in methods. */
  readonly issuer: string | null;
  /** The passkey that started the session. Null for other sign-in methods. */
  readonly passkeyId: string | null;
  /** Whether the session has all roles of the user. False if another issuer grants more. */
  readonly hasAllRoles: boolean;
  /** May change settings of the whole installation. */
  readonly isOperator: boolean;
  /** Milliseconds since the epoch. 0 for a request with the cookie from before a rotation. */
  readonly steppedUpUntil: number;
  /** When the session expires if it is not used before. */
  readonly expiresAt: number;
  /** The role has changed since the cookie was created, so the cookie must be replaced. */
  readonly mustRotate: boolean;
}

/** The user and the browser that a new session is for. */
export interface NewConsoleSession {
  readonly userId: string;
  readonly membership:
    | SessionMembership
    | { readonly org: { readonly id: string }; readonly role: MemberRole };
  readonly method: SignInMethod;
  readonly issuer?: string | undefined;
  readonly passkeyId?: string | undefined;
  readonly address: string;
  readonly agent: string;
  readonly steppedUp: boolean;
}

interface LoadedSession {
  readonly row: ConsoleSessionRow;
  readonly isCurrent: boolean;
  readonly membershipRows: readonly MembershipWithRolesRow[];
  /** Updated with each use. The row follows once a minute. */
  seenAt: number;
}

interface CachedSession {
  readonly session: Promise<LoadedSession | null>;
  readonly readAt: number;
}

type SessionDatabase = Pick<Database, 'read' | 'signals' | 'rowTransaction'>;

/** Manages console sessions. They are cached for two seconds. */
export class ConsoleSessions {
  readonly #database: SessionDatabase;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #rules: () => ConsoleSessionSettings;
  readonly #cache = new Map<string, CachedSession>();
  readonly #touching = new Set<Promise<void>>();

  constructor(database: SessionDatabase, clock: Clock, log: Log, rules: () => ConsoleSessionSettings) {
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
    this.#rules = rules;
    database.signals.onChange(() => this.clearCache());
  }

  /**
   * Returns the session of a cookie. Returns null if it is unknown or expired, or the membership has ended.
   * @param isUse Whether the request counts as use of the session, which delays its expiry.
   */
  async find(token: string, isUse = true): Promise<ActiveConsoleSession | null> {
    if (!hasSecretTokenFormat(token)) return null;
    const known = await this.#load(computeSha256Hex(token));
    const now = this.#clock.now();
    if (!known || !this.isActive(known.row, known.seenAt)) return null;
    const usedAt = isUse ? Math.max(now, known.seenAt) : known.seenAt;
    const live = toLiveSession(known, now, computeSessionExpiresAt(this.#rules(), known.row, usedAt));
    if (live && isUse) this.#touch(known, now);
    return live;
  }

  /** Returns whether a session that was last used at `seenAt` is active with the current settings. */
  isActive(
    row: Pick<ConsoleSessionRow, 'created_at' | 'expires_at' | 'method' | 'issuer'>,
    seenAt: number,
  ): boolean {
    const rules = this.#rules();
    return rules.isMethodEnabled(row) && this.#clock.now() < computeSessionExpiresAt(rules, row, seenAt);
  }

  /** Creates a session in the transaction of the sign-in. Returns the value of the cookie. */
  async create(
    writer: DatabaseWriter,
    from: NewConsoleSession,
  ): Promise<{ readonly id: string; readonly token: string }> {
    const now = this.#clock.now();
    const token = generateSecretToken();
    const id = createId('ses', now);
    await insertConsoleSession(writer, {
      id,
      token_sha256: computeSha256Hex(token),
      previous_sha256: null,
      previous_until: 0,
      user_id: from.userId,
      org_id: from.membership.org.id,
      role: from.membership.role,
      method: from.method,
      issuer: from.issuer ?? null,
      passkey_id: from.passkeyId ?? null,
      created_at: now,
      last_seen_at: now,
      expires_at: now + this.#rules().maxLifetimeMs,
      stepped_up_until: from.steppedUp ? now + STEP_UP_WINDOW_MS : 0,
      ip_address: from.address,
      user_agent: from.agent.slice(0, MAX_AGENT_CHARS),
    });
    await deleteLeastRecentlyUsedConsoleSessions(writer, from.userId, MAX_SESSIONS_PER_USER);
    return { id, token };
  }

  /**
   * Replaces the value of a cookie. Returns null if it was already replaced. The old value stays valid for
   * 30 seconds, without step-up, unless the organization changes.
   */
  async rotate(
    writer: DatabaseWriter,
    token: string,
    change: Partial<Pick<ConsoleSessionRow, 'org_id' | 'role' | 'stepped_up_until'>>,
  ): Promise<string | null> {
    const next = generateSecretToken();
    const until = change.org_id === undefined ? this.#clock.now() + ROTATION_OVERLAP_MS : 0;
    const fields = { ...change, token_sha256: computeSha256Hex(next), previous_until: until };
    return (await rotateConsoleSession(writer, computeSha256Hex(token), fields)) ? next : null;
  }

  /** Clears the cache, so that changes by this process take effect immediately after their commit. */
  clearCache(): void {
    this.#cache.clear();
  }

  /** Waits for pending writes. */
  async close(): Promise<void> {
    await Promise.all(this.#touching);
  }

  #load(hash: string): Promise<LoadedSession | null> {
    const now = this.#clock.monotonic();
    const kept = this.#cache.get(hash);
    if (kept && now - kept.readAt < CACHE_TTL_MS) return kept.session;
    const known = this.#read(hash);
    this.#cache.delete(hash);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size >= MAX_CACHED_SESSIONS && oldest !== undefined) this.#cache.delete(oldest);
    const entry = { session: known, readAt: now };
    this.#cache.set(hash, entry);
    // Failed and unknown lookups are not cached, so that invalid cookies cannot displace active sessions.
    const drop = () => {
      if (this.#cache.get(hash) === entry) this.#cache.delete(hash);
    };
    known.then((found) => found ?? drop(), drop);
    return known;
  }

  async #read(hash: string): Promise<LoadedSession | null> {
    const { read } = this.#database;
    const row = await findConsoleSessionByToken(read, hash, this.#clock.now());
    if (!row) return null;
    const standings = await listMembershipsWithRoles(read, row.user_id, row.issuer ?? null);
    return { row, isCurrent: row.token_sha256 === hash, membershipRows: standings, seenAt: row.last_seen_at };
  }

  #touch(known: LoadedSession, now: number): void {
    if (now - known.seenAt < SEEN_INTERVAL_MS) return;
    known.seenAt = now;
    const writing: Promise<void> = this.#database
      .rowTransaction((writer) => updateConsoleSessionLastSeen(writer, known.row.id, now))
      .catch((error: unknown) =>
        this.#log.warn(
          { err: error },
          'could not save the last-used time of a session; the session might expire early',
        ),
      )
      .finally(() => this.#touching.delete(writing));
    this.#touching.add(writing);
  }
}

function toLiveSession(
  { row, isCurrent, membershipRows }: LoadedSession,
  now: number,
  expiresAt: number,
): ActiveConsoleSession | null {
  const issuer = row.issuer ?? null;
  const everywhere = listSessionMemberships(membershipRows, issuer);
  const isWhole = hasAllRoles(membershipRows, issuer);
  const here = everywhere.find(({ org }) => org.id === row.org_id);
  const [first] = membershipRows;
  if (!here || !first) return null;
  return {
    id: row.id,
    user: { id: first.user_id, email: first.email, name: first.name },
    membership: here,
    memberships: everywhere,
    method: SIGN_IN_METHODS.find((method) => method === row.method) ?? 'password',
    issuer,
    passkeyId: row.passkey_id ?? null,
    hasAllRoles: isWhole,
    isOperator: isWhole && first.operator_id !== null,
    // A much later end than any step-up has means that the clock was set back.
    steppedUpUntil:
      isCurrent && row.stepped_up_until <= now + STEP_UP_WINDOW_MS + CLOCK_SKEW_MS ? row.stepped_up_until : 0,
    expiresAt,
    mustRotate: isCurrent && here.role !== row.role,
  };
}
