import type { Clock } from '../../core/clock.ts';
import type { Ask } from '../ask.ts';
import type { Target } from '../catalog.ts';
import type { Client } from '../client.ts';
import type { Exchange } from '../exchange-record.ts';
import type { Prompt } from '../operation.ts';
import { setTarget } from '../order-targets.ts';
import { fingerprint } from './fingerprint.ts';
import { keptFrom } from './kept.ts';
import { replayFor, sendReplay } from './replay.ts';
import type { CacheRules } from './rules.ts';
import { Tape } from './tape.ts';

/** Longest wait for an equal request that is on its way; then this one asks for itself. */
const FLIGHT_WAIT_MS = 20_000;

/**
 * Answers an exchange from the org's cache, or lets `produce` answer it and keeps what it told. Of equal
 * requests at one time only the first is produced; the others wait for it and read what it left.
 */
export async function throughCache(
  x: Exchange,
  { ask, course }: Prompt,
  rules: CacheRules,
  produce: () => Promise<void>,
): Promise<'complete' | 'cached'> {
  const [target] = course.targets;
  const name = target && isKeepable(x, ask) ? nameFor(x, ask, target, rules) : null;
  if (target === undefined || name === null) {
    x.cache = 'bypass';
    await produce();
    return 'complete';
  }
  const wish = x.controls?.cache ?? null;
  x.cache = wish === null ? 'miss' : wish;
  const lead = wish === null ? await recall(x, ask, target, name) : flightOf(x, name);
  if (lead === 'told') return 'cached';
  const ttlMs = x.controls?.cacheTtlMs ?? rules.ttlMs;
  await record(x, { target, name, ttlMs, landed: lead }, produce);
  return 'complete';
}

/** Names under which nothing is kept are null: the caller said so, or the request cannot be told from others. */
function nameFor(x: Exchange, ask: Ask, target: Target, rules: CacheRules): string | null {
  return x.controls?.cache === 'bypass' ? null : fingerprint(x, ask, target, rules);
}

/** A stored turn is the answer to one request alone: the next one builds on it. */
function isKeepable(x: Exchange, ask: Ask): boolean {
  return x.surface.dialect !== 'responses' || !mayBeStored(ask);
}

function mayBeStored({ body, members }: Ask): boolean {
  if (members.has('previous_response_id') || members.has('conversation') || members.has('background'))
    return true;
  const store = members.get('store');
  return store === undefined || body.toString('latin1', store.start, store.end) !== 'false';
}

/** Says that equal requests may wait for this one, until it calls what is returned. */
function flightOf(x: Exchange, name: string): () => void {
  return x.gateway.flights.begin(`${x.caller.key.orgId}\n${name}`);
}

/** Tells a kept answer, or returns the flight of the request that has to be made. */
async function recall(x: Exchange, ask: Ask, target: Target, name: string): Promise<'told' | (() => void)> {
  const { answers, flights, clock } = x.gateway;
  const orgId = x.caller.key.orgId;
  const giveUpAt = clock.monotonic() + FLIGHT_WAIT_MS;
  for (;;) {
    const kept = await answers.get(orgId, name);
    const replay = kept && replayFor(x, ask, target, kept);
    if (replay) {
      x.cache = 'hit';
      setTarget(x, target);
      sendReplay(x, ask, replay);
      return 'told';
    }
    const flight = flights.get(`${orgId}\n${name}`);
    const leftMs = giveUpAt - clock.monotonic();
    // In the same turn as the look: of those that waited together, one goes.
    if (flight === undefined || kept || leftMs <= 0) return flightOf(x, name);
    await landing(flight, x.client, clock, leftMs);
  }
}

/** Resolves when the flight has landed or `ms` are over; rejects when the client leaves or its exchange is stopped. */
function landing(flight: Promise<void>, client: Client, clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = () => {
      timer.cancel();
      client.onGone = null;
      resolve();
    };
    const leave = () => {
      timer.cancel();
      reject(client.interruption);
    };
    const timer = clock.after(ms, over);
    client.onGone = leave;
    if (client.isInterrupted) leave();
    void flight.then(over);
  });
}

/** Where the answer of one request will be kept. */
interface Place {
  readonly target: Target;
  readonly name: string;
  readonly ttlMs: number;
  /** Lets equal requests go on that wait for it. */
  readonly landed: () => void;
}

async function record(x: Exchange, place: Place, produce: () => Promise<void>): Promise<void> {
  const { target, name, ttlMs, landed } = place;
  const tape = new Tape();
  x.client.tape = tape;
  try {
    await produce();
  } catch (error) {
    landed();
    throw error;
  } finally {
    x.client.tape = null;
  }
  // Another target's answer belongs to requests that go there first.
  const isItsOwn = x.target?.credential === target.credential && x.target.model === target.model;
  const answer = isItsOwn && x.judged.isKeepable ? keptFrom(x, tape) : null;
  if (answer === null) return landed();
  // Not waited for: the client has its answer.
  const { answers } = x.gateway;
  void answers.put(x.caller.key.orgId, name, answer, ttlMs).then(landed, landed);
}
