import type { RelayEvent } from '@floe/contract/api/relay';
import type { Clock, Timer } from '../core/clock.ts';
import { FairLruMap } from '../core/fair-lru-map.ts';
import type { Log } from '../core/log.ts';
import { RepeatedFailureLog } from '../core/repeated-failure-log.ts';
import { replaceUnstorableCharacters } from '../core/unstorable-characters.ts';
import { isDatabaseUnavailable } from '../store/is-database-unavailable.ts';
import {
  addRelaySessionCounts,
  listRelaySessionActivitySince,
  MAX_RELAY_SESSIONS_PER_READ,
  type RelaySessionDelta,
} from '../store/relay/relay-sessions.ts';
import type { Database } from '../store/store-interfaces.ts';
import type { RelayCaller } from './relay-caller.ts';
import type { RelayConfigRegistry } from './relay-config-registry.ts';

/** Maximum number of sessions in memory. Each needs about 300 bytes. */
const MAX_CACHED_SESSIONS = 50_000;
/** Interval at which this process stores its counts and reads those of other processes. */
const FLUSH_INTERVAL_MS = 2_000;
/** Maximum delay until another process has stored a call, including the difference between the clocks. */
const MAX_WRITE_DELAY_MS = 10_000;
/** Maximum number of deltas in memory while the database is unavailable. If there are more, some are not counted. */
const MAX_PENDING_DELTAS = 20_000;

/**
 * What this process knows about an agent session: the model requests that it has received, and the last relay
 * call to any process.
 */
export interface TrackedAgentSession {
  /** Model requests that this process received. */
  modelRequests: number;
  /** Time of the last relay call to any process, in Unix milliseconds. 0 if there was none. */
  lastRelayCallAt: number;
}

/** The caller of a model request. */
export interface ModelRequestCaller {
  readonly orgId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly owner: string | null;
  readonly sessionId: string;
}

/**
 * Counts the model requests and relay calls of sessions. Every two seconds, adds the counts to the database,
 * and reads the relay calls of other processes. Only `flush` and `close` wait for the database.
 */
export class RelaySessionTracker {
  readonly #database: Pick<Database, 'read' | 'transaction'>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #flushFailure: RepeatedFailureLog;
  readonly #cache = new FairLruMap<TrackedAgentSession>(MAX_CACHED_SESSIONS);
  #deltas = new FairLruMap<RelaySessionDelta>(MAX_PENDING_DELTAS);
  /** Organizations whose agents have called the relay. */
  readonly #orgs = new Set<string>();
  readonly #relays: Pick<RelayConfigRegistry, 'get'>;
  #timer: Timer | null = null;
  #readUntil: number;
  #round: Promise<void> = Promise.resolve();

  constructor(
    database: Pick<Database, 'read' | 'transaction'>,
    relays: Pick<RelayConfigRegistry, 'get'>,
    clock: Clock,
    log: Log,
  ) {
    this.#relays = relays;
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
    this.#flushFailure = new RepeatedFailureLog(log, clock, {
      failed: 'relay sessions could not be stored; retrying',
      recovered: 'relay sessions are being stored again',
    });
    this.#readUntil = clock.now() - 24 * 3_600_000;
  }

  start(): void {
    this.#timer = this.#clock.after(FLUSH_INTERVAL_MS, () => {
      void this.flush().finally(() => this.#timer && this.start());
    });
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    await this.flush();
  }

  /** Returns the session; null if it is unknown. */
  find(orgId: string, sessionId: string): TrackedAgentSession | null {
    return this.#cache.get(orgId, sessionId) ?? null;
  }

  recordRelayCall(
    caller: RelayCaller,
    { session_id: givenId, agent, client }: Pick<RelayEvent, 'session_id' | 'agent' | 'client'>,
    nowMs: number,
  ): void {
    this.#orgs.add(caller.orgId);
    if (givenId === undefined) return;
    // The id as it is stored. Two ids with one stored id must not become two rows of one statement.
    const sessionId = replaceUnstorableCharacters(givenId);
    this.#session(caller.orgId, sessionId).lastRelayCallAt = nowMs;
    const delta = this.#delta({ ...caller, sessionId }, nowMs);
    delta.relay_calls += 1;
    delta.last_relay_call_at = nowMs;
    delta.agent = agent.name;
    delta.agent_version = agent.version ?? delta.agent_version;
    delta.client_version = client?.version ?? delta.client_version;
  }

  /** Returns whether the organization has relay rules, or its agents have called the relay. */
  usesRelay(orgId: string): boolean {
    return this.#orgs.has(orgId) || this.#relays.get(orgId).relay.config.rules.length > 0;
  }

  now(): number {
    return this.#clock.now();
  }

  /**
   * Counts a model request in its session.
   * @param agent name of the client from its `user-agent`; null if unknown
   */
  recordModelUse(use: ModelRequestCaller, agent: string | null): TrackedAgentSession {
    const session = this.#session(use.orgId, use.sessionId);
    session.modelRequests += 1;
    const nowMs = this.#clock.now();
    const delta = this.#delta(use, nowMs);
    delta.model_requests += 1;
    delta.agent ??= agent;
    delta.last_model_request_at = nowMs;
    return session;
  }

  #session(orgId: string, sessionId: string): TrackedAgentSession {
    let session = this.#cache.get(orgId, sessionId);
    if (!session) {
      session = { modelRequests: 0, lastRelayCallAt: 0 };
      this.#cache.set(orgId, sessionId, session);
    }
    return session;
  }

  #delta({ orgId, keyId, keyName, owner, sessionId }: ModelRequestCaller, nowMs: number): RelaySessionDelta {
    const name = `${sessionId}\n${keyId}`;
    const found = this.#deltas.get(orgId, name);
    if (found) {
      found.last_seen_at = nowMs;
      return found;
    }
    const delta: RelaySessionDelta = {
      org_id: orgId,
      session_id: sessionId,
      key_id: keyId,
      key_name: keyName,
      owner,
      agent: null,
      agent_version: null,
      client_version: null,
      first_seen_at: nowMs,
      last_seen_at: nowMs,
      model_requests: 0,
      last_model_request_at: null,
      relay_calls: 0,
      last_relay_call_at: null,
    };
    this.#deltas.set(orgId, name, delta);
    return delta;
  }

  /**
   * Stores the counts and reads those of other processes, after the calls in progress. Never rejects: a failed write is
   * repeated in the next call.
   */
  flush(): Promise<void> {
    this.#round = this.#round.then(() => this.#flushOnce());
    return this.#round;
  }

  async #flushOnce(): Promise<void> {
    const deltas = [...this.#deltas.values()];
    this.#deltas = new FairLruMap(MAX_PENDING_DELTAS);
    try {
      if (deltas.length > 0) await this.#store(deltas);
      await this.#readOthers();
      this.#flushFailure.succeed();
    } catch (error) {
      this.#flushFailure.fail(error);
    }
  }

  /**
   * Adds the counts to the database. If the database rejects them, stores those of each organization separately, so that
   * the counts of one organization do not prevent others from being stored.
   * @throws Fault `overloaded` if the database is unavailable. The counts are then kept for the next call.
   */
  async #store(deltas: readonly RelaySessionDelta[]): Promise<void> {
    try {
      await this.#database.transaction((writer) => addRelaySessionCounts(writer, deltas));
    } catch (error) {
      if (isDatabaseUnavailable(error)) {
        for (const delta of deltas) this.#restoreDelta(delta);
        throw error;
      }
      const byOrg = Map.groupBy(deltas, ({ org_id }) => org_id);
      if (byOrg.size > 1) {
        let outage: unknown = null;
        for (const own of byOrg.values())
          if (outage !== null) for (const delta of own) this.#restoreDelta(delta);
          else
            await this.#store(own).catch((unavailable: unknown) => {
              outage = unavailable;
            });
        if (outage !== null) throw outage;
      } else
        this.#log.warn(
          { err: error, org: deltas[0]?.org_id },
          'the database rejected the counts of relay sessions; they are lost',
        );
    }
  }

  /** Adds a delta that could not be stored to the counts since then. */
  #restoreDelta(before: RelaySessionDelta): void {
    const name = `${before.session_id}\n${before.key_id}`;
    const since = this.#deltas.get(before.org_id, name);
    if (!since) return this.#deltas.set(before.org_id, name, before);
    since.first_seen_at = before.first_seen_at;
    // The agent name of the latest relay call wins over the name from a model request.
    if (since.relay_calls === 0) since.agent = before.agent ?? since.agent;
    since.model_requests += before.model_requests;
    since.relay_calls += before.relay_calls;
    since.agent_version ??= before.agent_version;
    since.client_version ??= before.client_version;
    since.last_model_request_at ??= before.last_model_request_at;
    since.last_relay_call_at ??= before.last_relay_call_at;
  }

  /**
   * Reads the relay calls of other processes. They store calls with a delay, so the read starts
   * `MAX_WRITE_DELAY_MS` earlier.
   */
  async #readOthers(): Promise<void> {
    // Calls that a process with a wrong clock stored in the future must not hide later calls of others.
    this.#readUntil = Math.min(this.#readUntil, this.#clock.now());
    let since = this.#readUntil - MAX_WRITE_DELAY_MS;
    for (;;) {
      const calls = await listRelaySessionActivitySince(this.#database.read, since);
      for (const call of calls) {
        const session = this.#session(call.org_id, call.session_id);
        this.#orgs.add(call.org_id);
        session.lastRelayCallAt = Math.max(session.lastRelayCallAt, call.last_relay_call_at);
        this.#readUntil = Math.max(this.#readUntil, call.last_relay_call_at);
      }
      const last = calls.at(-1)?.last_relay_call_at ?? since;
      if (calls.length < MAX_RELAY_SESSIONS_PER_READ || last === since) return;
      since = last;
    }
  }
}
