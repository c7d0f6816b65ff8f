import { readFile } from 'node:fs/promises';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type { Clock } from '../../core/clock.ts';
import { type BufferedResponse, sendBufferedRequest } from '../buffered-request.ts';
import type { OutboundConnectionOptions } from '../outbound-connections.ts';
import type { UpstreamTransport } from '../transport.ts';

const RESPONSE_LIMITS = { timeoutMs: 15_000, maxBytes: 1 << 20 };
const CONNECT_MS = 5_000;
/**
 * The minimum clock difference that Floe corrects, in milliseconds. Services do not reject requests because
 * of smaller differences.
 */
export const MIN_CLOCK_SKEW_MS = 60_000;

/** The dependencies for fetching credentials. */
export interface CredentialContext {
  readonly transport: UpstreamTransport;
  readonly clock: Clock;
  /** The organization whose provider needs the credential. */
  readonly orgId: string | undefined;
  readonly via: (origin: string) => OutboundConnectionOptions | undefined;
}

/** A request to a service that returns credentials. */
export interface CredentialRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  /** A flat list: name, value, name, value … */
  readonly headers?: readonly string[];
  readonly body?: string;
  /**
   * Whether the service is on this machine, as metadata services are. Such a service is reached without a
   * proxy.
   */
  readonly isLocal?: boolean;
}

/** Builds a POST request with a form body. */
export function buildFormRequest(
  url: string,
  fields: Readonly<Record<string, string>>,
  type = 'application/x-www-form-urlencoded',
) {
  const body = new URLSearchParams(fields).toString();
  return { method: 'POST', url, headers: ['content-type', type], body } satisfies CredentialRequest;
}

/** A credential service's response with status 200. */
export interface CredentialResponse {
  readonly text: string;
  /** Number of milliseconds by which the service's clock is ahead. */
  readonly skewMs: number;
  /** Returns the text as a JSON object. @throws Fault `upstream_auth_failed` */
  json(): JsonObject;
  /** Returns the fault for a response without a credential. Only the operator can correct the cause. */
  toFault(): Fault;
}

/**
 * Calls a service that returns credentials. Returns its response, unless the status is 429 or 5xx.
 * @throws Fault `upstream_unreachable` if there is no response, or if its status is 429 or 5xx
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
    orgId: context.orgId,
    via: request.isLocal ? undefined : context.via(url.origin),
    unguarded: request.isLocal,
  };
  let answer: BufferedResponse;
  try {
    answer = await sendBufferedRequest(context.transport, context.clock, call, RESPONSE_LIMITS);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw unreachableFault(
      `the request to ${url.origin} failed (${why}); check that this machine can connect to ${url.origin}`,
      {
        cause,
      },
    );
  }
  if (answer.status >= 500 || answer.status === 429)
    throw unreachableFault(
      `${url.origin} responded with status ${answer.status}; try again later`,
      responseDetail(answer),
    );
  return answer;
}

/**
 * Requests a credential from a service.
 * @throws Fault `upstream_auth_failed` if the service rejects the request; `upstream_unreachable` if there is
 * no response
 */
export async function requestCredential(
  context: CredentialContext,
  request: CredentialRequest,
): Promise<CredentialResponse> {
  return toCredentialResponse(context, request, await callCredentialService(context, request));
}

/**
 * Sends a credential request that contains the current time. If the service rejects it because the clocks
 * differ, repeats the request once with the service's time.
 */
export async function requestCredentialWithSkewRetry(
  context: CredentialContext,
  requestAt: (nowMs: number) => CredentialRequest | Promise<CredentialRequest>,
): Promise<CredentialResponse> {
  const { clock } = context;
  const request = await requestAt(clock.now());
  const answer = await callCredentialService(context, request);
  const skew = answer.status === 200 ? 0 : computeClockSkewMs(answer.headers, clock.now());
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
    skewMs: computeClockSkewMs(answer.headers, clock.now()),
    json: () => parseCredentialJson(text, `the response of ${origin}`),
    toFault: () =>
      createCredentialFault(
        `${origin} returned no credential (status ${answer.status}); check the credential and its permissions`,
        answer,
      ),
  };
  if (answer.status !== 200) throw grant.toFault();
  return grant;
}

/** Returns the fault for a missing or invalid credential. `what` describes the credential in the message. */
export function createCredentialFault(what: string, answer?: BufferedResponse): Fault {
  const detail = answer && responseDetail(answer);
  return new Fault('upstream_auth_failed', `Could not obtain a credential: ${what}.`, detail);
}

function unreachableFault(what: string, detail: ConstructorParameters<typeof Fault>[2]): Fault {
  return new Fault('upstream_unreachable', `Could not obtain a credential: ${what}.`, detail);
}

function responseDetail({ status, body }: BufferedResponse) {
  return { upstreamStatus: status, upstreamBody: body.toString('utf8', 0, 500) };
}

/**
 * Reads a credential file. `what` describes the file in the error message.
 * @throws Fault `upstream_auth_failed` if the file cannot be read
 */
export async function readCredentialFile(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw createCredentialFault(`${what} cannot be read (${why}); check the path and the permissions`);
  }
}

/**
 * Parses a JSON object. `what` describes its source in the error message.
 * @throws Fault `upstream_auth_failed` if `text` is not a JSON object
 */
export function parseCredentialJson(text: string, what: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Reported below, without the text, which may contain a secret.
  }
  throw createCredentialFault(`${what} is not a JSON object; check the configured URL or file path`);
}

/**
 * Returns by how many milliseconds the service's clock is ahead of `now`. The result is negative if the
 * service's clock is behind. Returns 0 if the response has no date, or if the difference is at most
 * `MIN_CLOCK_SKEW_MS`.
 */
export function computeClockSkewMs(headers: BufferedResponse['headers'], now: number): number {
  const { date } = headers;
  const theirs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isFinite(theirs) && Math.abs(theirs - now) > MIN_CLOCK_SKEW_MS ? theirs - now : 0;
}

/** Returns the value of a member if it is a non-empty string; otherwise undefined. */
export function readStringMember(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
