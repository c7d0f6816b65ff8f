import { readFile } from 'node:fs/promises';
import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import type { Clock } from '../../core/clock.ts';
import type { Via } from '../outbound.ts';
import { type SmallAnswer, smallCall } from '../small-call.ts';
import type { Transport } from '../transport.ts';

const LIMITS = { timeoutMs: 15_000, bytes: 1 << 20 };
const CONNECT_MS = 5_000;
/** A clock this far off is not noise: what it dates is refused. */
export const SKEW_MS = 60_000;

/** What those who fetch tokens need of the world. */
export interface CredentialWorld {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly via: (origin: string) => Via | undefined;
}

export interface CredentialRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  /** Flat: name, value, name, value … */
  readonly headers?: readonly string[];
  readonly body?: string;
  /** Metadata services are on the machine itself: no proxy stands before them. */
  readonly isLocal?: boolean;
}

/** A form to post to a service. */
export function formRequest(
  url: string,
  fields: Readonly<Record<string, string>>,
  type = 'application/x-www-form-urlencoded',
) {
  const body = new URLSearchParams(fields).toString();
  return { method: 'POST', url, headers: ['content-type', type], body } satisfies CredentialRequest;
}

/** What a service answered with status 200. */
export interface Grant {
  readonly text: string;
  /** Milliseconds that its clock is ahead of ours. */
  readonly skewMs: number;
  /** The text as a JSON object. @throws Fault `upstream_auth_failed` */
  object(): JsonObject;
  /** The fault for an answer without a credential: only the operator can correct that. */
  refused(): Fault;
}

/**
 * Calls a service that hands out credentials; any status but 429 and 5xx is an answer.
 *
 * @throws Fault `upstream_unreachable` when it gave no answer, or one that says to try again.
 */
export async function callService(world: CredentialWorld, request: CredentialRequest): Promise<SmallAnswer> {
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
    throw unreachable(`${url.origin} gave no answer (${why})`, { cause });
  }
  if (answer.status >= 500 || answer.status === 429)
    throw unreachable(`${url.origin} answered ${answer.status}`, detailOf(answer));
  return answer;
}

/**
 * Calls a service for a credential.
 *
 * @throws Fault `upstream_auth_failed` when it refused; `upstream_unreachable` when it gave no answer
 */
export async function requestGrant(world: CredentialWorld, request: CredentialRequest): Promise<Grant> {
  return grantOf(world, request, await callService(world, request));
}

/** The same for a request that states the time: refused by a service with another clock, it is sent again by that. */
export async function requestDatedGrant(
  world: CredentialWorld,
  requestAt: (nowMs: number) => CredentialRequest | Promise<CredentialRequest>,
): Promise<Grant> {
  const { clock } = world;
  const request = await requestAt(clock.now());
  const answer = await callService(world, request);
  const skew = answer.status === 200 ? 0 : skewOf(answer.headers, clock.now());
  if (skew === 0) return grantOf(world, request, answer);
  return requestGrant(world, await requestAt(clock.now() + skew));
}

function grantOf({ clock }: CredentialWorld, { url }: CredentialRequest, answer: SmallAnswer): Grant {
  const { origin } = new URL(url);
  const text = answer.body.toString('utf8');
  const grant = {
    text,
    skewMs: skewOf(answer.headers, clock.now()),
    object: () => objectIn(text, `the answer of ${origin}`),
    refused: () => credentialFault(`${origin} refused to give one (${answer.status})`, answer),
  };
  if (answer.status !== 200) throw grant.refused();
  return grant;
}

/** A credential that is not there or not usable; `what` completes "No credential could be had: …". */
export function credentialFault(what: string, answer?: SmallAnswer): Fault {
  const detail = answer && detailOf(answer);
  return new Fault('upstream_auth_failed', `No credential could be had: ${what}.`, detail);
}

function unreachable(what: string, detail: ConstructorParameters<typeof Fault>[2]): Fault {
  return new Fault('upstream_unreachable', `No credential could be had: ${what}.`, detail);
}

function detailOf({ status, body }: SmallAnswer) {
  return { upstreamStatus: status, upstreamBody: body.toString('utf8', 0, 500) };
}

/** @throws Fault `upstream_auth_failed` when the file cannot be read; `what` names it. */
export async function readCredentialFile(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw credentialFault(`${what} cannot be read (${why})`);
  }
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
