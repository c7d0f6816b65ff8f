import { SIGN_IN_METHODS, type SignInMethod } from '@floe/contract/api/session';
import type { Role } from '@floe/contract/roles';
import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import type { Database, Writer } from '../../store/ports.ts';
import {
  insertSession,
  rotateSession,
  type SessionRow,
  type StandingRow,
  sessionByToken,
  standingOf,
  touchSession,
} from '../../store/sessions.ts';
import { endOfSession, type SessionRules } from './session-rules.ts';
import { holdsWholeAccount, type Standing, standingsIn } from './standing.ts';
import { looksLikeToken, newToken, sha256 } from './tokens.ts';

/** How long what asks for a fresh sign-in may be done after one. */
export const STEP_UP_MS = 10 * 60_000;
/** Requests under way with the cookie from before a rotation still pass. */
const OVERLAP_MS = 30_000;
const SEEN_EVERY_MS = 60_000;
/** What other processes ended is noticed within this, whatever becomes of their word of it. */
const FRESH_MS = 2_000;
const KEPT = 5_000;
const AGENT_CHARS = 200;

/** A session that holds, as it is now. */
export interface LiveSession {
  readonly id: string;
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  /** In the org the session is about. */
  readonly here: Standing;
  /** The oldest membership first. */
  readonly everywhere: readonly Standing[];
  readonly method: SignInMethod;
  /** Name of the issuer it began by; null for other ways. */
  readonly issuer: string | null;
  /** The passkey it began with; null for other ways. */
  readonly passkeyId: string | null;
  /** Has every role of the person; false where another issuer grants more. */
  readonly isWhole: boolean;
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
export interface Beginning {
  readonly userId: string;
  readonly at: Standing | { readonly org: { readonly id: string }; readonly role: Role };
  readonly method: SignInMethod;
  readonly issuer?: string | undefined;
  readonly passkeyId?: string | undefined;
  readonly address: string;
  readonly agent: string;
  readonly steppedUp: boolean;
}

interface Known {
  readonly row: SessionRow;
  readonly isCurrent: boolean;
  readonly standings: readonly StandingRow[];
  /** Moves on with use; the row follows once a minute. */
  seenAt: number;
}

interface Kept {
  readonly known: Promise<Known | null>;
  readonly readAt: number;
}

type SessionStore = Pick<Database, 'read' | 'signals' | 'rowTransaction'>;

/** Sessions of the console: one look into the store for each, at most every two seconds. */
export class Sessions {
  readonly #database: SessionStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #rules: () => SessionRules;
  readonly #kept = new Map<string, Kept>();
  readonly #touching = new Set<Promise<void>>();

  constructor(database: SessionStore, clock: Clock, log: Log, rules: () => SessionRules) {
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
    this.#rules = rules;
    database.signals.onChange(() => this.forget());
  }

  /** The session of this cookie; null when it is unknown, over, or its member is gone. */
  async find(token: string): Promise<LiveSession | null> {
    if (!looksLikeToken(token)) return null;
    const known = await this.#known(sha256(token));
    const now = this.#clock.now();
    if (!known || !this.holds(known.row, known.seenAt)) return null;
    const live = liveOf(known, now, this.#rules());
    if (live) this.#touch(known, now);
    return live;
  }

  /** Whether a session that was last used at `seenAt` is still one, as the rules are now. */
  holds(row: Pick<SessionRow, 'created_at' | 'expires_at' | 'method' | 'issuer'>, seenAt: number): boolean {
    const rules = this.#rules();
    return rules.isOffered(row) && this.#clock.now() < endOfSession(rules, row, seenAt);
  }

  /** Belongs into the transaction that signs somebody in; returns the cookie's value. */
  async begin(writer: Writer, from: Beginning): Promise<{ readonly id: string; readonly token: string }> {
    const now = this.#clock.now();
    const token = newToken();
    const id = newId('ses', now);
    await insertSession(writer, {
      id,
      token_sha256: sha256(token),
      previous_sha256: null,
      previous_until: 0,
      user_id: from.userId,
      org_id: from.at.org.id,
      role: from.at.role,
      method: from.method,
      issuer: from.issuer ?? null,
      passkey_id: from.passkeyId ?? null,
      created_at: now,
      last_seen_at: now,
      expires_at: now + this.#rules().wholeMs,
      stepped_up_until: from.steppedUp ? now + STEP_UP_MS : 0,
      address: from.address,
      agent: from.agent.slice(0, AGENT_CHARS),
    });
    return { id, token };
  }

  /**
   * Another value for this cookie; null when it was replaced already. The old one passes for 30 s, never as stepped up, but
   * not when the org changes: what is under way was meant for the one before.
   */
  async rotate(
    writer: Writer,
    token: string,
    change: Partial<Pick<SessionRow, 'org_id' | 'role' | 'stepped_up_until'>>,
  ): Promise<string | null> {
    const next = newToken();
    const until = change.org_id === undefined ? this.#clock.now() + OVERLAP_MS : 0;
    const fields = { ...change, token_sha256: sha256(next), previous_until: until };
    return (await rotateSession(writer, sha256(token), fields)) ? next : null;
  }

  /** Reads every session anew: for what this process itself changed, at once after its commit. */
  forget(): void {
    this.#kept.clear();
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    await Promise.all(this.#touching);
  }

  #known(hash: string): Promise<Known | null> {
    const now = this.#clock.monotonic();
    const kept = this.#kept.get(hash);
    if (kept && now - kept.readAt < FRESH_MS) return kept.known;
    const known = this.#read(hash);
    this.#kept.delete(hash);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= KEPT && oldest !== undefined) this.#kept.delete(oldest);
    const entry = { known, readAt: now };
    this.#kept.set(hash, entry);
    // What failed or is unknown is asked for again: garbage must not push out sessions that hold.
    const drop = () => {
      if (this.#kept.get(hash) === entry) this.#kept.delete(hash);
    };
    known.then((found) => found ?? drop(), drop);
    return known;
  }

  async #read(hash: string): Promise<Known | null> {
    const { read } = this.#database;
    const row = await sessionByToken(read, hash, this.#clock.now());
    if (!row) return null;
    const standings = await standingOf(read, row.user_id, row.issuer ?? null);
    return { row, isCurrent: row.token_sha256 === hash, standings, seenAt: row.last_seen_at };
  }

  #touch(known: Known, now: number): void {
    if (now - known.seenAt < SEEN_EVERY_MS) return;
    known.seenAt = now;
    const writing: Promise<void> = this.#database
      .rowTransaction((writer) => touchSession(writer, known.row.id, now))
      .catch((error: unknown) => this.#log.warn({ err: error }, 'last use of a session not written'))
      .finally(() => this.#touching.delete(writing));
    this.#touching.add(writing);
  }
}

function liveOf(
  { row, isCurrent, standings, seenAt }: Known,
  now: number,
  rules: SessionRules,
): LiveSession | null {
  const issuer = row.issuer ?? null;
  const everywhere = standingsIn(standings, issuer);
  const isWhole = holdsWholeAccount(standings, issuer);
  const here = everywhere.find(({ org }) => org.id === row.org_id);
  const [first] = standings;
  if (!here || !first) return null;
  return {
    id: row.id,
    user: { id: first.user_id, email: first.email, name: first.name },
    here,
    everywhere,
    method: SIGN_IN_METHODS.find((method) => method === row.method) ?? 'password',
    issuer,
    passkeyId: row.passkey_id ?? null,
    isWhole,
    isOperator: isWhole && first.operator_id !== null,
    steppedUpUntil: isCurrent ? row.stepped_up_until : 0,
    expiresAt: endOfSession(rules, row, Math.max(now, seenAt)),
    mustRotate: isCurrent && here.role !== row.role,
  };
}
