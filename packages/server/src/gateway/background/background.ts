import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@floe/contract/json';
import type { Clock, Timer } from '../../core/clock.ts';
import type { Grant } from '../../guardrails/grant.ts';
import { heldBy } from '../../guardrails/parts-of-grants.ts';
import {
  type BackgroundRow,
  backgroundByResponse,
  dueBackground,
  hurryBackground,
  insertBackground,
  postponeBackground,
  releaseBackground,
  takeBackground,
} from '../../store/background-responses.ts';
import type { Database, ExchangeRow } from '../../store/ports.ts';
import { EMPTY_CATALOG } from '../catalog.ts';
import type { Gateway } from '../gateway.ts';
import { askKeeper } from '../stored/keeper.ts';
import type { Background, Deferred, Pending } from './deferred.ts';
import { endedRow, readPending, reservedRow } from './pending.ts';

/** Between two rounds while this process looks after a response, and while it looks for those of dead processes. */
const BUSY_MS = 2_000;
const IDLE_MS = 30_000;
/** Others take over what a process did not renew for so long. */
const LEASE_MS = 60_000;
/** A provider is asked after 2 s, then half as often each time, at least every 5 minutes. */
const FIRST_MS = 2_000;
const LONGEST_MS = 300_000;
/** Then nobody asks any more, and the reservation is charged. */
const EXPIRES_MS = 24 * 3_600_000;
/** Asked for in one round, of each org. */
const PER_ORG = 10;

export interface BackgroundParts {
  readonly database: Pick<Database, 'read' | 'transaction'>;
  readonly clock: Clock;
  /** Known once the gateway is put together. */
  readonly gateway: () => Gateway;
}

export function createBackground(parts: BackgroundParts): Background {
  return new BackgroundResponses(parts);
}

class BackgroundResponses implements Background {
  readonly #parts: BackgroundParts;
  /** This process, to others. */
  readonly #owner = randomUUID();
  /** Reservations of this process by exchange. */
  readonly #grants = new Map<string, Grant | null>();
  /** What is being written down. */
  readonly #writing = new Set<Promise<void>>();
  #timer: Timer;
  #round: Promise<void> | null = null;
  #closed = false;

  constructor(parts: BackgroundParts) {
    this.#parts = parts;
    this.#timer = this.#later(FIRST_MS);
  }

  defer({ responseId, origin, grant, ...rest }: Deferred): void {
    const { clock, database, gateway } = this.#parts;
    const { row } = rest;
    const pending: Pending = { ...rest, charges: grant ? heldBy(grant) : [] };
    const now = clock.now();
    const stored: BackgroundRow = {
      id: row.id,
      org_id: row.org_id,
      response_id: responseId,
      origin,
      created_at: row.created_at,
      expires_at: now + EXPIRES_MS,
      owner: this.#owner,
      owner_until: now + LEASE_MS,
      next_at: now + FIRST_MS,
      tries: 0,
      exchange_json: JSON.stringify(pending),
    };
    this.#grants.set(row.id, grant);
    database
      .transaction((writer) => insertBackground(writer, stored))
      .then(() => this.#hasten())
      .catch((error: unknown) => {
        gateway().log.warn(
          { err: error, request_id: row.id },
          'a background response is charged as reserved',
        );
        this.#book(row.id, row.org_id, pending, reservedRow(pending));
      });
  }

  async ended(orgId: string, responseId: string, response: JsonObject): Promise<void> {
    const { database } = this.#parts;
    const row = await backgroundByResponse(database.read, orgId, responseId);
    if (row === undefined) return;
    if (row.owner === this.#owner) await this.#settle(row, response);
    else await database.transaction((writer) => hurryBackground(writer, row.id));
  }

  hurry(orgId: string, responseId: string): void {
    const { database, gateway } = this.#parts;
    backgroundByResponse(database.read, orgId, responseId)
      .then(async (row) => {
        if (row === undefined) return;
        await database.transaction((writer) => hurryBackground(writer, row.id));
        this.#hasten();
      })
      .catch((error: unknown) => gateway().log.warn({ err: error }, 'a background response was not hurried'));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timer.cancel();
    await Promise.all([this.#round, ...this.#writing]);
    const { database, gateway } = this.#parts;
    await database
      .transaction((writer) => releaseBackground(writer, this.#owner))
      .catch((error: unknown) =>
        gateway().log.warn({ err: error }, 'background responses wait for their lease'),
      );
  }

  /** A round comes soon, for there is something to look after. */
  #hasten(): void {
    if (this.#round !== null || this.#closed) return;
    this.#timer.cancel();
    this.#timer = this.#later(BUSY_MS);
  }

  #later(ms: number): Timer {
    return this.#parts.clock.after(ms, () => {
      this.#round = this.#runRound().finally(() => {
        this.#round = null;
        if (!this.#closed) this.#timer = this.#later(this.#grants.size > 0 ? BUSY_MS : IDLE_MS);
      });
    });
  }

  async #runRound(): Promise<void> {
    const { clock, database, gateway } = this.#parts;
    const now = clock.now();
    const round = { owner: this.#owner, nowMs: now, untilMs: now + LEASE_MS, perOrg: PER_ORG };
    try {
      const due = await database.transaction((writer) => dueBackground(writer, round));
      await Promise.all(due.map((row) => this.#lookAfter(row)));
    } catch (error) {
      gateway().log.warn({ err: error }, 'background responses could not be looked after');
    }
  }

  async #lookAfter(row: BackgroundRow): Promise<void> {
    const { clock, database } = this.#parts;
    const answer = await this.#ask(row);
    if (answer !== 'under way') return this.#settle(row, answer);
    if (clock.now() >= row.expires_at) return this.#settle(row, null);
    const nextAt = clock.now() + Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(row.tries, 10));
    await database.transaction((writer) => postponeBackground(writer, row.id, nextAt));
  }

  /** The response as it ended; null when its provider does not have it any more. */
  async #ask({ org_id, origin, response_id }: BackgroundRow): Promise<JsonObject | null | 'under way'> {
    const gateway = this.#parts.gateway();
    const catalog = gateway.snapshot().catalogs.get(org_id) ?? EMPTY_CATALOG;
    try {
      const kept = { held: true, origin, response: { id: response_id } };
      const answer = await askKeeper(gateway, catalog, kept, 'show');
      if (answer?.status === 404 || answer?.status === 410) return null;
      return answer?.status === 200 && answer.body && hasEnded(answer.body) ? answer.body : 'under way';
    } catch {
      // The provider is away: asked again later.
      return 'under way';
    }
  }

  async #settle(row: BackgroundRow, response: JsonObject | null): Promise<void> {
    const { database, gateway } = this.#parts;
    const pending = readPending(row.exchange_json);
    const isMine = await database.transaction((writer) => takeBackground(writer, row.id));
    if (!isMine) return;
    const { catalogs } = gateway().snapshot();
    const provider = catalogs.get(row.org_id)?.providers.get(pending.row.provider ?? '');
    const price = provider?.priceOf(pending.row.model ?? '') ?? null;
    this.#book(
      row.id,
      row.org_id,
      pending,
      response ? endedRow(pending, response, price) : reservedRow(pending),
    );
  }

  /** The row goes to the writer that cannot lose it, the money to the budgets that held it. */
  #book(id: string, orgId: string, { charges }: Pending, row: ExchangeRow): void {
    const { guard, rows, log } = this.#parts.gateway();
    const grant = this.#grants.get(id);
    this.#grants.delete(id);
    rows.append(row);
    const nanoUsd = row.cost_nano_usd ?? 0;
    if (grant) return guard.settle(grant, 0, nanoUsd);
    guard.chargeBuckets(id, orgId, charges, nanoUsd).catch((error: unknown) => {
      log.error({ err: error, request_id: id }, 'a background response could not be booked');
    });
  }
}

/** Whether a response will not change any more. */
export function hasEnded({ status }: JsonObject): boolean {
  return status !== 'queued' && status !== 'in_progress';
}
