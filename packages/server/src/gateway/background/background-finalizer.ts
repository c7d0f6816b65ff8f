import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@floe/contract/json';
import { type Clock, resolveWithFallback, type Timer } from '../../core/clock.ts';
import type { Grant } from '../../guardrails/grant.ts';
import { toBudgetCharges } from '../../guardrails/grant-charges.ts';
import {
  type BackgroundResponseRow,
  claimBackgroundResponse,
  findBackgroundResponse,
  insertBackgroundResponse,
  leaseDueBackgroundResponses,
  listLeasedBackgroundResponseIds,
  markBackgroundResponseDue,
  releaseBackgroundResponses,
  scheduleNextBackgroundPoll,
} from '../../store/background-responses.ts';
import type { Database, ExchangeRow } from '../../store/store-interfaces.ts';
import { formatBackgroundResponseLine } from '../access-log-line.ts';
import { EMPTY_ORG_CATALOG } from '../org-catalog.ts';
import type { SharedGatewayDependencies } from '../shared-gateway-dependencies.ts';
import { callResponseProvider } from '../stored/response-provider.ts';
import type { BackgroundFinalizer, DeferredExchange, PendingExchange } from './deferred-exchange.ts';
import { buildFinalExchangeRow, buildLostResponseRow, parsePendingExchange } from './pending-exchange.ts';
import { type FinalStatus, findFinalStatus, isResponseFinal } from './response-status.ts';

/** Interval between polls for responses that are due, including those of processes that have ended. */
const POLL_INTERVAL_MS = 2_000;
const IDLE_POLL_INTERVAL_MS = 30_000;
/** Time after which other processes take over a response, if its lease has not been renewed. */
const LEASE_MS = 60_000;
/** Delay before the first poll of a response. It doubles with each poll, up to 5 minutes. */
const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_MS = 300_000;
/** Time after which the provider is no longer polled and the reserved amount is charged. */
const EXPIRY_MS = 24 * 3_600_000;
/** Maximum time to wait for the disk before a record is deleted, because a client may wait too. */
const ROW_WAIT_MS = 5_000;
/** Maximum number of responses per organization in one poll. */
const MAX_PER_ORG = 10;

/** The settings and dependencies of the background finalizer. */
export interface BackgroundFinalizerOptions {
  readonly database: Pick<Database, 'read' | 'transaction'>;
  readonly clock: Clock;
  /** Returns the gateway. Must not be called before the gateway has been created. */
  readonly gateway: () => SharedGatewayDependencies;
}

/**
 * Creates the background finalizer of this process. It polls providers for the results of background responses,
 * and finalizes the exchange of each response when the provider has finished it.
 */
export function createBackgroundFinalizer(options: BackgroundFinalizerOptions): BackgroundFinalizer {
  return new PollingFinalizer(options);
}

class PollingFinalizer implements BackgroundFinalizer {
  readonly #options: BackgroundFinalizerOptions;
  /** Identifies this process to others. */
  readonly #owner = randomUUID();
  /** The grants of this process, by exchange id. */
  readonly #grants = new Map<string, Grant | null>();
  /** The exchanges that are not in the database yet, by id. */
  readonly #unstored = new Map<string, PendingExchange>();
  /** Writes in progress that `close` waits for. Changes of poll times are not among them. */
  readonly #writes = new Set<Promise<unknown>>();
  /** The finalizations in progress, by exchange id. A poll and a client can find the same end at once. */
  readonly #finalizations = new Map<string, Promise<void>>();
  /** When this process last settled the grants of records that others took over. */
  #grantsCheckedAt: number;
  #timer: Timer;
  #round: Promise<void> | null = null;
  #closed = false;

  constructor(parts: BackgroundFinalizerOptions) {
    this.#options = parts;
    this.#grantsCheckedAt = parts.clock.now();
    this.#timer = this.#scheduleRound(FIRST_DELAY_MS);
  }

  defer({ responseId, origin, grant, ...rest }: DeferredExchange): void {
    const { clock, database } = this.#options;
    const { row } = rest;
    const pending: PendingExchange = { ...rest, charges: grant ? toBudgetCharges(grant) : [] };
    const now = clock.now();
    const stored: BackgroundResponseRow = {
      id: row.id,
      org_id: row.org_id,
      response_id: responseId,
      origin,
      created_at: row.created_at,
      expires_at: now + EXPIRY_MS,
      owner: this.#owner,
      owner_until: now + LEASE_MS,
      next_at: now + FIRST_DELAY_MS,
      attempts: 0,
      exchange_json: JSON.stringify(pending),
    };
    this.#grants.set(row.id, grant);
    this.#unstored.set(row.id, pending);
    this.#track(database.transaction((writer) => insertBackgroundResponse(writer, stored))).then(
      () => {
        if (this.#unstored.delete(row.id)) this.#scheduleSoon();
      },
      (error: unknown) => this.#recordUnstored(pending, error),
    );
  }

  async recordEnd(orgId: string, responseId: string, response: JsonObject): Promise<void> {
    const { database } = this.#options;
    const row = await findBackgroundResponse(database.read, orgId, responseId);
    if (row === undefined) return;
    if (row.owner === this.#owner) await this.#finalize(row, response);
    else await database.transaction((writer) => markBackgroundResponseDue(writer, row.id));
  }

  pollSoon(orgId: string, responseId: string): void {
    const { database, gateway } = this.#options;
    findBackgroundResponse(database.read, orgId, responseId)
      .then(async (row) => {
        if (row === undefined) return;
        await database.transaction((writer) => markBackgroundResponseDue(writer, row.id));
        this.#scheduleSoon();
      })
      .catch((error: unknown) =>
        gateway().log.warn(
          { err: error },
          'immediate poll of a background response could not be scheduled; the response is polled at the regular time',
        ),
      );
  }

  async close(limitMs: number): Promise<void> {
    this.#closed = true;
    this.#timer.cancel();
    const { clock } = this.#options;
    await resolveWithFallback(clock, limitMs, this.#endWrites(), undefined);
    for (const pending of this.#unstored.values())
      this.#recordUnstored(pending, new Error('the database did not respond before the process ended'));
  }

  /** Does not wait for the responses of providers, because another process or the next start polls them again. */
  async #endWrites(): Promise<void> {
    await Promise.allSettled(this.#writes);
    const { database, gateway } = this.#options;
    await database
      .transaction((writer) => releaseBackgroundResponses(writer, this.#owner))
      .catch((error: unknown) =>
        gateway().log.warn(
          { err: error },
          'lease on background responses could not be released; other processes can poll them after the lease expires',
        ),
      );
  }

  /** Writes the row of an exchange that cannot be polled later. */
  #recordUnstored(pending: PendingExchange, error: unknown): void {
    if (!this.#unstored.delete(pending.row.id)) return;
    const { gateway } = this.#options;
    gateway().log.warn(
      { err: error, request_id: pending.row.id },
      'background response could not be stored for polling; its full reservation is charged',
    );
    const row = buildLostResponseRow(pending);
    gateway().rows.append(row);
    this.#charge(pending, row, null);
  }

  #track<T>(write: Promise<T>): Promise<T> {
    this.#writes.add(write);
    const end = () => this.#writes.delete(write);
    write.then(end, end);
    return write;
  }

  /** Schedules a poll soon, because there is a response to poll. */
  #scheduleSoon(): void {
    if (this.#round !== null || this.#closed) return;
    this.#timer.cancel();
    this.#timer = this.#scheduleRound(POLL_INTERVAL_MS);
  }

  #scheduleRound(ms: number): Timer {
    return this.#options.clock.after(ms, () => {
      this.#round = this.#runRound().finally(() => {
        this.#round = null;
        if (!this.#closed)
          this.#timer = this.#scheduleRound(this.#grants.size > 0 ? POLL_INTERVAL_MS : IDLE_POLL_INTERVAL_MS);
      });
    });
  }

  async #runRound(): Promise<void> {
    const { clock, database, gateway } = this.#options;
    const now = clock.now();
    const round = { owner: this.#owner, nowMs: now, leaseUntilMs: now + LEASE_MS, maxPerOrg: MAX_PER_ORG };
    try {
      const leasing = database.transaction((writer) => leaseDueBackgroundResponses(writer, round));
      const due = await this.#track(leasing);
      // At regular intervals, because the leases may also have expired during the transaction.
      if (clock.now() - this.#grantsCheckedAt >= LEASE_MS) await this.#settleLostGrants();
      await Promise.all(due.map((row) => this.#pollResponse(row)));
    } catch (error) {
      gateway().log.warn({ err: error }, 'background responses could not be polled; retrying later');
    }
  }

  async #pollResponse(row: BackgroundResponseRow): Promise<void> {
    const { clock, database } = this.#options;
    const answer = await this.#fetchResponse(row);
    if (this.#closed) return;
    if (answer !== 'under way') return this.#finalize(row, answer);
    if (clock.now() >= row.expires_at) return this.#finalize(row, null);
    const nextAt = clock.now() + Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(row.attempts, 10));
    await database.transaction((writer) => scheduleNextBackgroundPoll(writer, row.id, nextAt));
  }

  /** Returns the finished response; null if the provider no longer has it. */
  async #fetchResponse({
    org_id,
    origin,
    response_id,
  }: BackgroundResponseRow): Promise<JsonObject | null | 'under way'> {
    const gateway = this.#options.gateway();
    const catalog = gateway.snapshot().catalogs.get(org_id) ?? EMPTY_ORG_CATALOG;
    try {
      const kept = { held: true, origin, response: { id: response_id } };
      const answer = await callResponseProvider(gateway, catalog, kept, 'show');
      if (answer?.status === 404 || answer?.status === 410) return null;
      return answer?.status === 200 && answer.body && isResponseFinal(answer.body)
        ? answer.body
        : 'under way';
    } catch {
      // The provider is unavailable, so it is polled again later.
      return 'under way';
    }
  }

  #finalize(row: BackgroundResponseRow, response: JsonObject | null): Promise<void> {
    const current = this.#finalizations.get(row.id);
    if (current) return current;
    const done = this.#track(this.#recordAndClaim(row, response)).finally(() =>
      this.#finalizations.delete(row.id),
    );
    this.#finalizations.set(row.id, done);
    return done;
  }

  /**
   * Writes the row to the spool, and then deletes the record and charges the cost. If the process is killed in
   * between, another process finalizes the response again. The id of the row then prevents a second row.
   */
  async #recordAndClaim(record: BackgroundResponseRow, response: JsonObject | null): Promise<void> {
    const { database, gateway, clock } = this.#options;
    const { snapshot, rows } = gateway();
    const pending = parsePendingExchange(record.exchange_json);
    const row = response
      ? buildFinalExchangeRow(pending, response, snapshot().catalogs)
      : buildLostResponseRow(pending);
    rows.append(row);
    await resolveWithFallback(clock, ROW_WAIT_MS, rows.stored(), undefined);
    const isMine = await database.transaction((writer) => claimBackgroundResponse(writer, record.id));
    if (isMine) this.#charge(pending, row, response && findFinalStatus(response));
    else this.#settleLostGrant(record.id);
  }

  /** Writes the line of a row to the access log, and charges its cost to the budgets that contain its reservation. */
  #charge({ charges }: PendingExchange, row: ExchangeRow, responseStatus: FinalStatus | null): void {
    const { guard, log, accessLog } = this.#options.gateway();
    const { id, org_id: orgId } = row;
    const grant = this.#grants.get(id);
    this.#grants.delete(id);
    if (accessLog.accepts(responseStatus === null || responseStatus === 'failed'))
      accessLog.write(formatBackgroundResponseLine(row, responseStatus, this.#options.clock.now()));
    const nanoUsd = row.cost_nano_usd ?? 0;
    if (grant) return guard.settle(grant, 0, nanoUsd);
    guard.chargeBuckets(id, orgId, charges, nanoUsd).catch((error: unknown) => {
      log.error(
        { err: error, request_id: id },
        'cost of a background response could not be charged to budgets; the budgets do not include this cost',
      );
    });
  }

  /** Settles the grants of records that other processes took over after the leases had expired. */
  async #settleLostGrants(): Promise<void> {
    this.#grantsCheckedAt = this.#options.clock.now();
    const ids = [...this.#grants.keys()].filter((id) => !this.#unstored.has(id));
    if (ids.length === 0) return;
    const leased = new Set(await listLeasedBackgroundResponseIds(this.#options.database.read, this.#owner));
    for (const id of ids) if (!leased.has(id) && !this.#finalizations.has(id)) this.#settleLostGrant(id);
  }

  #settleLostGrant(id: string): void {
    const grant = this.#grants.get(id);
    this.#grants.delete(id);
    if (grant) this.#options.gateway().guard.settleReserved(grant);
  }
}
