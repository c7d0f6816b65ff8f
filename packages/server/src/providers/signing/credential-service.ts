import { readFile } from 'node:fs/promises';
import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import type { Clock } from '../../core/clock.ts';
import { type BufferedResponse, callBuffered } from '../buffered-call.ts';
import type { ConnectionOptions } from '../outbound.ts';
import type { Transport } from '../transport.ts';

const RESPONSE_LIMITS = { timeoutMs: 15_000, maxBytes: 1 << 20 };
const CONNECT_MS = 5_000;
/** A clock this far off is not noise: what it dates is refused. */
export const MIN_CLOCK_SKEW_MS = 60_000;

/** What those who fetch tokens need of the world. */
export interface CredentialContext {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly via: (origin: string) => ConnectionOptions | undefined;
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
export function buildFormRequest(
  url: string,
  fields: Readonly<Record<string, string>>,
  type = 'application/x-www-form-urlencoded',
) {
  const body = new URLSearchParams(fields).toString();
  return { method: 'POST', url, headers: ['content-type', type], body } satisfies CredentialRequest;
}

/** What a service answered with status 200. */
export interface CredentialResponse {
  readonly text: string;
  /** Milliseconds that its clock is ahead of ours. */
  readonly skewMs: number;
  /** The text as a JSON object. @throws Fault `upstream_auth_failed` */
  json(): JsonObject;
  /** The fault for an answer without a credential: only the operator can correct that. */
  toFault(): Fault;
}

/**
 * Calls a service that hands out credentials; any status but 429 and 5xx is an answer.
 *
 * @throws Fault `upstream_unreachable` when it gave no answer, or one that says to try again.
 */
export async function callCredentialService(
  context: CredentialContext,
  request: CredentialRequest,
): Promise<BufferedResponse> {
  const url = new URL(request.url);
  const call = {
    method: request.method,
    origin: url.origin,
    path: url.pathname + url.search,
    headers: ['accept-encoding', 'identity', ...(request.headers ?? [])],
    body: request.body === undefined ? null : Buffer.from(request.body),
    connectMs: CONNECT_MS,
    via: request.isLocal ? undefined : context.via(url.origin),
    unguarded: request.isLocal,
  };
  let answer: BufferedResponse;
  try {
    answer = await callBuffered(context.transport, context.clock, call, RESPONSE_LIMITS);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw unreachableFault(`${url.origin} did not respond (${why})`, { cause });
  }
  if (answer.status >= 500 || answer.status === 429)
    throw unreachableFault(`${url.origin} responded with status ${answer.status}`, responseDetail(answer));
  return answer;
}

/**
 * Calls a service for a credential.
 *
 * @throws Fault `upstream_auth_failed` when it refused; `upstream_unreachable` when it gave no answer
 */
export async function requestCredential(
  context: CredentialContext,
  request: CredentialRequest,
): Promise<CredentialResponse> {
  return toCredentialResponse(context, request, await callCredentialService(context, request));
}

/** The same for a request that states the time: refused by a service with another clock, it is sent again by that. */
export async function requestDatedCredential(
  context: CredentialContext,
  requestAt: (nowMs: number) => CredentialRequest | Promise<CredentialRequest>,
): Promise<CredentialResponse> {
  const { clock } = context;
  const request = await requestAt(clock.now());
  const answer = await callCredentialService(context, request);
  const skew = answer.status === 200 ? 0 : computeClockSkew(answer.headers, clock.now());
  if (skew === 0) return toCredentialResponse(context, request, answer);
  return requestCredential(context, await requestAt(clock.now() + skew));
}

function toCredentialResponse(
  { clock }: CredentialContext,
  { url }: CredentialRequest,
  answer: BufferedResponse,
): CredentialResponse {
  const { origin } = new URL(url);
  const text = answer.body.toString('utf8');
  const grant = {
    text,
    skewMs: computeClockSkew(answer.headers, clock.now()),
    json: () => parseCredentialJson(text, `the response of ${origin}`),
    toFault: () => credentialFault(`${origin} rejected the request with status ${answer.status}`, answer),
  };
  if (answer.status !== 200) throw grant.toFault();
  return grant;
}

/** A credential that is not there or not usable; `what` completes "No credential could be had: …". */
export function credentialFault(what: string, answer?: BufferedResponse): Fault {
  const detail = answer && responseDetail(answer);
  return new Fault('upstream_auth_failed', `Could not obtain a credential: ${what}.`, detail);
}

function unreachableFault(what: string, detail: ConstructorParameters<typeof Fault>[2]): Fault {
  return new Fault('upstream_unreachable', `Could not obtain a credential: ${what}.`, detail);
}

function responseDetail({ status, body }: BufferedResponse) {
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
export function parseCredentialJson(text: string, what: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Told below, without the text: it may hold a secret.
  }
  throw credentialFault(`${what} must be a JSON object`);
}

/** Milliseconds that the service's clock is ahead of ours; 0 when it says nothing or the difference is noise. */
export function computeClockSkew(headers: BufferedResponse['headers'], now: number): number {
  const { date } = headers;
  const theirs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isFinite(theirs) && Math.abs(theirs - now) > MIN_CLOCK_SKEW_MS ? theirs - now : 0;
}

export function readStringMember(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
