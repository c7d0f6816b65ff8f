import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import type { Clock } from '../../core/clock.ts';
import type { Via } from '../outbound.ts';
import { type SmallAnswer, smallCall } from '../small-call.ts';
import type { Transport } from '../transport.ts';

const LIMITS = { timeoutMs: 15_000, bytes: 1 << 20 };
const CONNECT_MS = 5_000;
/** A clock this far off is not noise: what it dates is refused. */
const SKEW_MS = 60_000;

/** What those who fetch tokens need of the world. */
export interface TokenWorld {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly via: (origin: string) => Via | undefined;
}

export interface TokenRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  /** Flat: name, value, name, value … */
  readonly headers?: readonly string[];
  readonly body?: string;
  /** Metadata services are on the machine itself: no proxy stands before them. */
  readonly isLocal?: boolean;
}

/**
 * Calls a service that hands out credentials.
 *
 * @throws Fault `upstream_unreachable` when it gave no answer, or one that says to try again.
 */
export async function callForToken(world: TokenWorld, request: TokenRequest): Promise<SmallAnswer> {
  const url = new URL(request.url);
  const call = {
    method: request.method,
    origin: url.origin,
    path: url.pathname + url.search,
    headers: ['accept-encoding', 'identity', ...(request.headers ?? [])],
    body: request.body === undefined ? null : Buffer.from(request.body),
    connectMs: CONNECT_MS,
    via: request.isLocal ? undefined : world.via(url.origin),
    unguarded: request.isLocal,
  };
  let answer: SmallAnswer;
  try {
    answer = await smallCall(world.transport, world.clock, call, LIMITS);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Fault(
      'upstream_unreachable',
      `No credential could be had: ${url.origin} gave no answer (${why}).`,
      {
        cause,
      },
    );
  }
  if (answer.status >= 500 || answer.status === 429)
    throw new Fault(
      'upstream_unreachable',
      `No credential could be had: ${url.origin} answered ${answer.status}.`,
      detailOf(answer),
    );
  return answer;
}

/** The fault for a service that refused to hand out a credential: nobody but the operator can mend it. */
export function refusedBy(request: TokenRequest, answer: SmallAnswer): Fault {
  return credentialFault(`${new URL(request.url).origin} refused to give one (${answer.status})`, answer);
}

/** A credential that is not there or not usable; `what` completes "No credential could be had: …". */
export function credentialFault(what: string, answer?: SmallAnswer): Fault {
  return new Fault(
    'upstream_auth_failed',
    `No credential could be had: ${what}.`,
    answer && detailOf(answer),
  );
}

function detailOf({ status, body }: SmallAnswer) {
  return { upstreamStatus: status, upstreamBody: body.toString('utf8', 0, 500) };
}

/** @throws Fault `upstream_auth_failed` when the text is no JSON object; `what` names where it came from. */
export function objectIn(text: string, what: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Told below, without the text: it may hold a secret.
  }
  throw credentialFault(`${what} is not a JSON object`);
}

/** Milliseconds that the service's clock is ahead of ours; 0 when it says nothing or the difference is noise. */
export function skewOf(headers: SmallAnswer['headers'], now: number): number {
  const { date } = headers;
  const theirs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isFinite(theirs) && Math.abs(theirs - now) > SKEW_MS ? theirs - now : 0;
}

export function textIn(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
