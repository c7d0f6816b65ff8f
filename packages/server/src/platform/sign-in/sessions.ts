import { SIGN_IN_METHODS, type SignInMethod } from '@floe/contract/api/session';
import type { MemberRole } from '@floe/contract/roles';
import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import {
  type ConsoleSessionRow,
  findConsoleSessionByToken,
  insertConsoleSession,
  listMembershipAccess,
  type MembershipAccessRow,
  rotateConsoleSession,
  updateConsoleSessionLastSeen,
} from '../../store/console-sessions.ts';
import type { Database, DatabaseWriter } from '../../store/ports.ts';
import { hasAllRoles, type SessionMembership, sessionMemberships } from './session-memberships.ts';
import { type SessionRules, sessionExpiresAt } from './session-rules.ts';
import { generateToken, hasTokenFormat, sha256 } from './tokens.ts';

/** How long what asks for a fresh sign-in may be done after one. */
export const STEP_UP_MS = 10 * 60_000;
/** Requests under way with the cookie from before a rotation still pass. */
const ROTATION_OVERLAP_MS = 30_000;
const SEEN_INTERVAL_MS = 60_000;
/** What other processes ended is noticed within this, whatever becomes of their word of it. */
const CACHE_TTL_MS = 2_000;
const MAX_CACHED_SESSIONS = 5_000;
const MAX_AGENT_CHARS = 200;

/** A session that holds, as it is now. */
export interface ActiveSession {
  readonly id: string;
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  /** In the org the session is about. */
  readonly membership: SessionMembership;
  /** The oldest membership first. */
  readonly memberships: readonly SessionMembership[];
  readonly method: SignInMethod;
  /** Name of the issuer it began by; null for other ways. */
  readonly issuer: string | null;
  /** The passkey it began with; null for other ways. */
  readonly passkeyId: string | null;
  /** Has every role of the person; false where another issuer grants more. */
  readonly hasAllRoles: boolean;
  /** May change what affects every org of the installation. */
  readonly isOperator: boolean;
  /** Milliseconds since the epoch; 0 when a request came with the cookie from before a rotation. */
  readonly steppedUpUntil: number;
  /** When it ends unless it is used before. */
  readonly expiresAt: number;
  /** The role is another than when the cookie was made: the cookie is to be replaced. */
  readonly mustRotate: boolean;
}

/** Who begins a session, and from where. */
export interface NewSession {
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
  readonly membershipRows: readonly MembershipAccessRow[];
  /** Moves on with use; the row follows once a minute. */
  seenAt: number;
}

interface CachedSession {
  readonly session: Promise<LoadedSession | null>;
  readonly readAt: number;
}

type SessionDatabase = Pick<Database, 'read' | 'signals' | 'rowTransaction'>;

/** Sessions of the console: one look into the store for each, at most every two seconds. */
export class ConsoleSessions {
  readonly #database: SessionDatabase;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #rules: () => SessionRules;
  readonly #cache = new Map<string, CachedSession>();
  readonly #touching = new Set<Promise<void>>();

  constructor(database: SessionDatabase, clock: Clock, log: Log, rules: () => SessionRules) {
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
    this.#rules = rules;
    database.signals.onChange(() => this.clearCache());
  }

  /** The session of this cookie; null when it is unknown, over, or its member is gone. */
  async find(token: string): Promise<ActiveSession | null> {
    if (!hasTokenFormat(token)) return null;
    const known = await this.#load(sha256(token));
    const now = this.#clock.now();
    if (!known || !this.isActive(known.row, known.seenAt)) return null;
    const live = toLiveSession(known, now, this.#rules());
    if (live) this.#touch(known, now);
    return live;
  }

  /** Whether a session that was last used at `seenAt` is still one, as the rules are now. */
  isActive(
    row: Pick<ConsoleSessionRow, 'created_at' | 'expires_at' | 'method' | 'issuer'>,
    seenAt: number,
  ): boolean {
    const rules = this.#rules();
    return rules.isMethodEnabled(row) && this.#clock.now() < sessionExpiresAt(rules, row, seenAt);
  }

  /** Belongs into the transaction that signs somebody in; returns the cookie's value. */
  async create(
    writer: DatabaseWriter,
    from: NewSession,
  ): Promise<{ readonly id: string; readonly token: string }> {
    const now = this.#clock.now();
    const token = generateToken();
    const id = newId('ses', now);
    await insertConsoleSession(writer, {
      id,
      token_sha256: sha256(token),
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
      stepped_up_until: from.steppedUp ? now + STEP_UP_MS : 0,
      ip_address: from.address,
      user_agent: from.agent.slice(0, MAX_AGENT_CHARS),
    });
    return { id, token };
  }

  /**
   * Another value for this cookie; null when it was replaced already. The old one passes for 30 s, never as stepped up, but
   * not when the org changes: what is under way was meant for the one before.
   */
  async rotate(
    writer: DatabaseWriter,
    token: string,
    change: Partial<Pick<ConsoleSessionRow, 'org_id' | 'role' | 'stepped_up_until'>>,
  ): Promise<string | null> {
    const next = generateToken();
    const until = change.org_id === undefined ? this.#clock.now() + ROTATION_OVERLAP_MS : 0;
    const fields = { ...change, token_sha256: sha256(next), previous_until: until };
    return (await rotateConsoleSession(writer, sha256(token), fields)) ? next : null;
  }

  /** Reads every session anew: for what this process itself changed, at once after its commit. */
  clearCache(): void {
    this.#cache.clear();
  }

  /** Waits for what is being written. */
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
    // What failed or is unknown is asked for again: garbage must not push out sessions that hold.
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
    const standings = await listMembershipAccess(read, row.user_id, row.issuer ?? null);
    return { row, isCurrent: row.token_sha256 === hash, membershipRows: standings, seenAt: row.last_seen_at };
  }

  #touch(known: LoadedSession, now: number): void {
    if (now - known.seenAt < SEEN_INTERVAL_MS) return;
    known.seenAt = now;
    const writing: Promise<void> = this.#database
      .rowTransaction((writer) => updateConsoleSessionLastSeen(writer, known.row.id, now))
      .catch((error: unknown) => this.#log.warn({ err: error }, 'last use of a session could not be stored'))
      .finally(() => this.#touching.delete(writing));
    this.#touching.add(writing);
  }
}

function toLiveSession(
  { row, isCurrent, membershipRows, seenAt }: LoadedSession,
  now: number,
  rules: SessionRules,
): ActiveSession | null {
  const issuer = row.issuer ?? null;
  const everywhere = sessionMemberships(membershipRows, issuer);
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
    steppedUpUntil: isCurrent ? row.stepped_up_until : 0,
    expiresAt: sessionExpiresAt(rules, row, Math.max(now, seenAt)),
    mustRotate: isCurrent && here.role !== row.role,
  };
}
