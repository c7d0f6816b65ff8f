import type { Clock } from '../../core/clock.ts';
import type { ClientCall } from '../client-call.ts';
import type { ClientRequest } from '../client-request.ts';
import type { Exchange } from '../exchange-record.ts';
import type { RoutedPrompt } from '../operation.ts';
import { setExchangeTarget } from '../order-targets.ts';
import type { Target } from '../org-catalog.ts';
import type { CacheSettings } from './cache-settings.ts';
import { buildCachedResponse } from './cached-response.ts';
import { computeRequestFingerprint } from './fingerprint.ts';
import { ResponseRecorder } from './response-recorder.ts';
import { adaptCachedResponse, sendCachedResponse } from './send-cached-response.ts';

/** Maximum time that a request waits for an equal one in progress before it is sent to the provider. */
const MAX_IN_FLIGHT_WAIT_MS = 20_000;

/**
 * Serves an exchange from the cache, or calls `produce` and caches its response. Of several
 * identical requests in progress, only the first is sent to a provider. The others wait for its
 * response.
 */
export async function serveThroughCache(
  x: Exchange,
  { prompt, route }: RoutedPrompt,
  rules: CacheSettings,
  produce: () => Promise<void>,
): Promise<'complete' | 'cached'> {
  const [target] = route.targets;
  const name = target && isCacheable(x, prompt, target) ? cacheKeyFor(x, prompt, target, rules) : null;
  if (target === undefined || name === null) {
    x.cache = 'bypass';
    await produce();
    return 'complete';
  }
  const wish = x.controls?.cache ?? null;
  x.cache = wish === null ? 'miss' : wish;
  const lead = wish === null ? await serveCachedAnswer(x, prompt, target, name) : beginInFlight(x, name);
  if (lead === 'told') return 'cached';
  const ttlMs = x.controls?.cacheTtlMs ?? rules.ttlMs;
  await produceAndCache(x, { target, cacheKey: name, ttlMs, release: lead }, produce);
  return 'complete';
}

/**
 * Returns the cache key of the response. Returns null if the response must not be cached: the caller disabled
 * the cache, or there is no reliable fingerprint.
 */
function cacheKeyFor(
  x: Exchange,
  prompt: ClientRequest,
  target: Target,
  rules: CacheSettings,
): string | null {
  return x.controls?.cache === 'bypass' ? null : computeRequestFingerprint(x, prompt, target, rules);
}

/**
 * Returns whether the response may be cached. A stored turn may not, because it belongs to a single request. A
 * response to the caller's own credential may not, because another caller may have no access to it.
 */
function isCacheable(x: Exchange, prompt: ClientRequest, { provider }: Target): boolean {
  if (provider.usesCallerCredential) return false;
  return x.surface.dialect !== 'responses' || !mayBeStoredTurn(prompt);
}

function mayBeStoredTurn({ body, members }: ClientRequest): boolean {
  if (members.has('previous_response_id') || members.has('conversation') || members.has('background'))
    return true;
  const store = members.get('store');
  return store === undefined || body.toString('latin1', store.start, store.end) !== 'false';
}

/** Registers the request, so that equal ones wait for it until they are released. */
function beginInFlight(x: Exchange, name: string): () => void {
  return x.gateway.inFlight.begin(`${x.caller.key.orgId}\n${name}`);
}

/** Sends a cached response, or returns the function that releases waiting requests. */
async function serveCachedAnswer(
  x: Exchange,
  prompt: ClientRequest,
  target: Target,
  name: string,
): Promise<'told' | (() => void)> {
  const { answerCache, inFlight, clock } = x.gateway;
  const orgId = x.caller.key.orgId;
  const giveUpAt = clock.monotonic() + MAX_IN_FLIGHT_WAIT_MS;
  for (;;) {
    const kept = await answerCache.get(orgId, name);
    const replay = kept && adaptCachedResponse(x, prompt, target, kept);
    if (replay) {
      x.cache = 'hit';
      setExchangeTarget(x, target);
      await sendCachedResponse(x, prompt, replay);
      return 'told';
    }
    const flight = inFlight.get(`${orgId}\n${name}`);
    const leftMs = giveUpAt - clock.monotonic();
    // Runs in the same turn as the lookup, so only one of the waiting requests continues.
    if (flight === undefined || kept || leftMs <= 0) return beginInFlight(x, name);
    await waitForInFlight(flight, x.client, clock, leftMs);
  }
}

/**
 * Resolves when the request in progress has ended or `ms` have passed. Rejects if the client disconnects or
 * the exchange is interrupted.
 */
function waitForInFlight(flight: Promise<void>, client: ClientCall, clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    // Only the first event counts: later, `onInterrupt` belongs to the attempt that follows.
    const end = (finish: () => void) => {
      if (isOver) return;
      isOver = true;
      timer.cancel();
      client.onInterrupt = null;
      finish();
    };
    const over = () => end(resolve);
    const leave = () => end(() => reject(client.interruption));
    const timer = clock.after(ms, over);
    client.onInterrupt = leave;
    if (client.isInterrupted) leave();
    void flight.then(over);
  });
}

/** Where the response of a request will be cached. */
interface CacheSlot {
  readonly target: Target;
  readonly cacheKey: string;
  readonly ttlMs: number;
  /** Releases equal requests that wait for this one. */
  readonly release: () => void;
}

async function produceAndCache(x: Exchange, place: CacheSlot, produce: () => Promise<void>): Promise<void> {
  const { target, cacheKey, ttlMs, release } = place;
  const recorder = new ResponseRecorder();
  x.client.answerRecorder = recorder;
  try {
    await produce();
  } catch (error) {
    release();
    throw error;
  } finally {
    x.client.answerRecorder = null;
  }
  // The response of another target must not be cached for this target.
  const { provider, credential, model } = target;
  // Providers that sign their requests share one credential object.
  const isItsOwn =
    x.target?.provider === provider && x.target.credential === credential && x.target.model === model;
  const answer = isItsOwn && x.policy.isCacheable ? buildCachedResponse(x, recorder) : null;
  if (answer === null) return release();
  // Not awaited, because the client already has its response.
  const { answerCache } = x.gateway;
  void answerCache.put(x.caller.key.orgId, cacheKey, answer, ttlMs).then(release, release);
}
