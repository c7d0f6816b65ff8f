import type { ChannelConfig } from '@floe/contract/config';
import type { Clock } from '../core/clock.ts';
import { OutboundBlockedError, type OutboundGuard } from '../core/outbound-guard.ts';
import type { ResolvedOutboundConnections } from '../providers/outbound-connections.ts';
import { createSocketConnector } from '../providers/socket-connector.ts';
import type { AlertMessage } from './alert-message.ts';
import type {
  ChannelConfigOf,
  ChannelDefinition,
  ChannelHttpRequest,
  ChannelKind,
  ReceiverResponse,
} from './channels/channel-definition.ts';
import { CHANNEL_DEFINITIONS } from './channels/channel-definitions.ts';
import { MailDeliveryError, type Mailer } from './mailer.ts';
import type { DecryptedChannel } from './stored-channel.ts';

/** Time limit for a request and its response. */
const SEND_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;
const MAX_RESPONSE_BYTES = 16 * 1024;
/** The longest wait that a receiver can request, so that no response can stop a channel for days. */
const MAX_RETRY_AFTER_MS = 60 * 60 * 1000;

/** The outcome of an attempt that failed. */
export interface AlertSendFailure {
  readonly ok: false;
  readonly status: number | null;
  /** The reason, for display. It contains no secret. */
  readonly error: string;
  readonly retryAfterMs: number | undefined;
  /** Whether the receiver rejected the message, so that another attempt is unlikely to succeed. */
  readonly isRefused: boolean;
  /**
   * Whether there was a connection, so that the message itself may be the cause. Without a connection, no
   * message can be delivered.
   */
  readonly isConnected: boolean;
  /** Whether the receiver rejected the message because it received too many. */
  readonly isRateLimited: boolean;
}

/** The outcome of an attempt that succeeded. */
interface AlertSendSuccess {
  readonly ok: true;
  readonly status: number | null;
  /** Names the recipients that the mail server rejected, if it accepted the message for others. */
  readonly warning?: string;
}

/** The outcome of one attempt to send a message. */
export type AlertSendOutcome = AlertSendSuccess | AlertSendFailure;

/** One attempt to send a message. */
interface SendAttempt {
  readonly notice: AlertMessage;
  readonly orgId: string;
  readonly signing: DecryptedChannel['signing'];
  readonly signal: AbortSignal;
  isConnected: boolean;
}

/** Sends messages to channels. */
export interface AlertSender {
  /** Attempts to send a message once. Never rejects; an error is one of the outcomes. */
  send(notice: AlertMessage, channel: DecryptedChannel): Promise<AlertSendOutcome>;
}

/** Creates the sender for messages to channels of every kind. */
export function createAlertSender(options: {
  readonly guard: OutboundGuard;
  /** Returns the proxy and certificate authorities for an origin, according to the configuration in use. */
  readonly via: ResolvedOutboundConnections['via'];
  readonly clock: Clock;
  readonly mailer: Mailer;
}): AlertSender {
  const { clock, mailer } = options;

  async function sendBy<Kind extends ChannelKind>(
    definition: ChannelDefinition<Kind>,
    config: ChannelConfigOf<Kind>,
    attempt: SendAttempt,
  ): Promise<AlertSendOutcome> {
    const { notice, signing } = attempt;
    if (definition.mail) {
      const rejected = await mailer.send(definition.mail(notice, config), attempt.signal);
      if (rejected.length === 0) return { ok: true, status: null };
      const warning = `the mail server rejected these recipients: ${rejected.join(', ')}`;
      return { ok: true, status: null, warning };
    }
    if (!definition.http) throw new Error('a channel kind must define an HTTP request or an email');
    const answer = await postMessage(definition.http.message(notice, config, signing), attempt, options);
    return evaluateResponse(answer, definition.http, clock.now());
  }

  return {
    async send(notice, { orgId, config, signing }) {
      const deadline = new AbortController();
      const timer = clock.after(SEND_TIMEOUT_MS, () => deadline.abort());
      const attempt = { notice, orgId, signing, signal: deadline.signal, isConnected: false };
      try {
        return await withDefinition(config, (definition, own) => sendBy(definition, own, attempt));
      } catch (error) {
        return toSendFailure(error, deadline.signal.aborted, attempt.isConnected);
      } finally {
        timer.cancel();
      }
    },
  };
}

/** Calls `use` with a channel's configuration and the definition of its kind. */
function withDefinition<Result>(
  config: ChannelConfig,
  use: <Kind extends ChannelKind>(
    definition: ChannelDefinition<Kind>,
    config: ChannelConfigOf<Kind>,
  ) => Result,
): Result {
  switch (config.kind) {
    case 'webhook':
      return use<'webhook'>(CHANNEL_DEFINITIONS.webhook, config);
    case 'slack':
      return use<'slack'>(CHANNEL_DEFINITIONS.slack, config);
    case 'discord':
      return use<'discord'>(CHANNEL_DEFINITIONS.discord, config);
    case 'teams':
      return use<'teams'>(CHANNEL_DEFINITIONS.teams, config);
    case 'email':
      return use<'email'>(CHANNEL_DEFINITIONS.email, config);
    case 'pagerduty':
      return use<'pagerduty'>(CHANNEL_DEFINITIONS.pagerduty, config);
    case 'ntfy':
      return use<'ntfy'>(CHANNEL_DEFINITIONS.ntfy, config);
    case 'telegram':
      return use<'telegram'>(CHANNEL_DEFINITIONS.telegram, config);
  }
}

/**
 * Sends a POST request on a connection of its own, because messages are rare. The guard checks each
 * connection.
 */
async function postMessage(
  { url, headers, body }: ChannelHttpRequest,
  attempt: SendAttempt,
  { guard, via }: { readonly guard: OutboundGuard; readonly via: ResolvedOutboundConnections['via'] },
): Promise<ReceiverResponse> {
  // Loaded with the first message, because the library would add 40 ms to the start.
  const { Client } = await import('undici');
  const target = new URL(url);
  const client = new Client(target.origin, {
    connect: createSocketConnector(
      target,
      via(target.origin),
      CONNECT_TIMEOUT_MS,
      guard.forOrg(attempt.orgId),
    ),
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: MAX_RESPONSE_BYTES,
  });
  client.once('connect', () => {
    attempt.isConnected = true;
  });
  try {
    const answer = await client.request({
      method: 'POST',
      path: `${target.pathname}${target.search}`,
      headers: { 'user-agent': 'floe', 'idempotency-key': attempt.notice.id, ...headers },
      body,
      signal: attempt.signal,
    });
    const head = { status: answer.statusCode, headers: answer.headers };
    return { ...head, ...(await readBodyStart(answer.body)) };
  } finally {
    client.destroy().catch(() => undefined);
  }
}

/** Reads the first bytes of a body. If the body is incomplete, returns what was received. */
async function readBodyStart(
  body: AsyncIterable<Buffer>,
): Promise<Pick<ReceiverResponse, 'text' | 'isComplete'>> {
  const chunks: Buffer[] = [];
  let length = 0;
  let whole = true;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= MAX_RESPONSE_BYTES) break;
    }
  } catch {
    whole = false;
  }
  return { text: Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString('utf8'), isComplete: whole };
}

const RESPONDED = { isConnected: true, isRateLimited: false } as const;

type ResponseRules = Pick<NonNullable<ChannelDefinition<ChannelKind>['http']>, 'refusal' | 'retryAfterMs'>;

function evaluateResponse(
  answer: ReceiverResponse,
  { refusal, retryAfterMs }: ResponseRules,
  nowMs: number,
): AlertSendOutcome {
  const { status } = answer;
  if (status >= 200 && status < 300) {
    const why = refusal?.(answer) ?? null;
    if (why === null) return { ok: true, status };
    const cut = answer.isComplete ? '' : ' (the response was incomplete)';
    return {
      ok: false,
      status,
      error: `HTTP ${status}, but ${why}${cut}`,
      retryAfterMs: undefined,
      isRefused: false,
      ...RESPONDED,
    };
  }
  if (status >= 300 && status < 400)
    return {
      ok: false,
      status,
      error: `HTTP ${status}: the receiver sent a redirect, which Floe does not follow. Set the URL to the redirect target.`,
      retryAfterMs: undefined,
      isRefused: true,
      ...RESPONDED,
    };
  const asked = retryAfterMs?.(answer) ?? parseRetryAfter(answer, nowMs);
  return {
    ok: false,
    status,
    error: `the receiver responded with HTTP ${status}`,
    retryAfterMs: asked === undefined ? undefined : Math.min(Math.max(0, asked), MAX_RETRY_AFTER_MS),
    isRefused: status < 500 && !TRANSIENT_STATUSES.has(status),
    isConnected: true,
    isRateLimited: status === 429,
  };
}

/** 4xx statuses with temporary causes. */
const TRANSIENT_STATUSES = new Set([408, 409, 421, 423, 425, 429]);

/**
 * Returns the wait that the header `retry-after` requests, in milliseconds. Its value is in seconds or a date
 * (RFC 9110, section 10.2.3).
 */
function parseRetryAfter({ headers }: ReceiverResponse, nowMs: number): number | undefined {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date - nowMs;
}

function toSendFailure(error: unknown, late: boolean, reached: boolean): AlertSendOutcome {
  const failed = { ok: false, retryAfterMs: undefined, isConnected: reached, isRateLimited: false } as const;
  if (late)
    return {
      ...failed,
      status: null,
      error: `the receiver did not respond within ${SEND_TIMEOUT_MS / 1000} s`,
      isRefused: false,
    };
  if (error instanceof OutboundBlockedError)
    return { ...failed, status: null, error: error.message, isRefused: true };
  if (error instanceof MailDeliveryError) {
    const { status, message, permanent } = error;
    return { ...failed, isConnected: status !== null, status, error: message, isRefused: permanent };
  }
  const reason = error instanceof Error ? error.message : String(error);
  const known = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const code = reason.includes(known) ? '' : ` (${known})`;
  return {
    ...failed,
    status: null,
    error: `the receiver could not be reached: ${reason}${code}`.slice(0, 500),
    isRefused: false,
  };
}
