import type { ChannelConfig } from '@floe/contract/config';
import type { Clock } from '../core/clock.ts';
import { type OutboundGuard, OutboundRefused } from '../core/outbound.ts';
import { openConnector } from '../providers/connector.ts';
import type { Outbound } from '../providers/outbound.ts';
import type { ChannelKind, ChannelSheet, ConfigOf, HttpAnswer, HttpMessage } from './channels/sheet.ts';
import { SHEETS } from './channels/sheets.ts';
import { type Mailer, MailRefused } from './mail.ts';
import type { Notice } from './notice.ts';
import type { OpenChannel } from './stored-channel.ts';

/** From the first packet to the end of the answer. */
const SEND_MS = 15_000;
const CONNECT_MS = 5_000;
const ANSWER_BYTES = 16 * 1024;
/** What a receiver may ask for at most: no answer silences a channel for days. */
const RETRY_AFTER_MAX_MS = 60 * 60 * 1000;

export interface Failure {
  readonly ok: false;
  readonly status: number | null;
  /** For people; names no secret. */
  readonly error: string;
  readonly retryAfterMs: number | undefined;
  /** The receiver understood and said no: trying again seldom helps. */
  readonly refused: boolean;
  /** There was a connection: what failed may be this message alone. Without one, no message arrives. */
  readonly reached: boolean;
  /** The receiver wants fewer messages, whichever they are. */
  readonly limited: boolean;
}

export type Outcome = { readonly ok: true; readonly status: number | null } | Failure;

/** One try to send a notice. */
interface Attempt {
  readonly notice: Notice;
  readonly signing: OpenChannel['signing'];
  readonly signal: AbortSignal;
  isConnected: boolean;
}

export interface Sender {
  /** One try. Never throws: what goes wrong is an outcome. */
  send(notice: Notice, channel: OpenChannel): Promise<Outcome>;
}

export function createSender(parts: {
  readonly guard: OutboundGuard;
  /** Proxy and authorities for an origin, as the configuration says now. */
  readonly via: Outbound['via'];
  readonly clock: Clock;
  readonly mailer: Mailer;
}): Sender {
  const { clock, mailer } = parts;

  async function sendBy<Kind extends ChannelKind>(
    sheet: ChannelSheet<Kind>,
    config: ConfigOf<Kind>,
    attempt: Attempt,
  ): Promise<Outcome> {
    const { notice, signing } = attempt;
    if (sheet.mail) {
      await mailer.send(sheet.mail(notice, config), attempt.signal);
      return { ok: true, status: null };
    }
    if (!sheet.http) throw new Error('a channel sends by HTTP or by mail');
    const answer = await post(sheet.http.message(notice, config, signing), attempt, parts);
    return judge(answer, sheet.http, clock.now());
  }

  return {
    async send(notice, { config, signing }) {
      const deadline = new AbortController();
      const timer = clock.after(SEND_MS, () => deadline.abort());
      const attempt = { notice, signing, signal: deadline.signal, isConnected: false };
      try {
        return await withSheet(config, (sheet, own) => sendBy(sheet, own, attempt));
      } catch (error) {
        return failure(error, deadline.signal.aborted, attempt.isConnected);
      } finally {
        timer.cancel();
      }
    },
  };
}

/** Calls `use` with the sheet of a configuration's kind and the configuration, which belong together. */
function withSheet<Result>(
  config: ChannelConfig,
  use: <Kind extends ChannelKind>(sheet: ChannelSheet<Kind>, config: ConfigOf<Kind>) => Result,
): Result {
  switch (config.kind) {
    case 'webhook':
      return use<'webhook'>(SHEETS.webhook, config);
    case 'slack':
      return use<'slack'>(SHEETS.slack, config);
    case 'discord':
      return use<'discord'>(SHEETS.discord, config);
    case 'teams':
      return use<'teams'>(SHEETS.teams, config);
    case 'email':
      return use<'email'>(SHEETS.email, config);
    case 'pagerduty':
      return use<'pagerduty'>(SHEETS.pagerduty, config);
    case 'ntfy':
      return use<'ntfy'>(SHEETS.ntfy, config);
    case 'telegram':
      return use<'telegram'>(SHEETS.telegram, config);
  }
}

/** A connection of its own: messages are rare, and each is judged by the guard anew. */
async function post(
  { url, headers, body }: HttpMessage,
  attempt: Attempt,
  { guard, via }: { readonly guard: OutboundGuard; readonly via: Outbound['via'] },
): Promise<HttpAnswer> {
  // With the first message: the rest of the library costs a start 40 ms.
  const { Client } = await import('undici');
  const target = new URL(url);
  const client = new Client(target.origin, {
    connect: openConnector(target, via(target.origin), CONNECT_MS, guard),
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: ANSWER_BYTES,
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
    return { ...head, ...(await start(answer.body)) };
  } finally {
    client.destroy().catch(() => undefined);
  }
}

/** The first bytes of a body; one that breaks off gives what came. */
async function start(body: AsyncIterable<Buffer>): Promise<Pick<HttpAnswer, 'text' | 'whole'>> {
  const chunks: Buffer[] = [];
  let length = 0;
  let whole = true;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= ANSWER_BYTES) break;
    }
  } catch {
    whole = false;
  }
  return { text: Buffer.concat(chunks).subarray(0, ANSWER_BYTES).toString('utf8'), whole };
}

const ANSWERED = { reached: true, limited: false } as const;

type Judgement = Pick<NonNullable<ChannelSheet<ChannelKind>['http']>, 'refusal' | 'retryAfterMs'>;

function judge(answer: HttpAnswer, { refusal, retryAfterMs }: Judgement, nowMs: number): Outcome {
  const { status } = answer;
  if (status >= 200 && status < 300) {
    const why = refusal?.(answer) ?? null;
    if (why === null) return { ok: true, status };
    const cut = answer.whole ? '' : ' (it broke off)';
    return {
      ok: false,
      status,
      error: `${status}, but ${why}${cut}`,
      retryAfterMs: undefined,
      refused: false,
      ...ANSWERED,
    };
  }
  if (status >= 300 && status < 400)
    return {
      ok: false,
      status,
      error: `${status}: a redirect; Floe follows none, so give the address it leads to`,
      retryAfterMs: undefined,
      refused: true,
      ...ANSWERED,
    };
  const asked = retryAfterMs?.(answer) ?? retryAfterOf(answer, nowMs);
  return {
    ok: false,
    status,
    error: `the receiver answered ${status}`,
    retryAfterMs: asked === undefined ? undefined : Math.min(Math.max(0, asked), RETRY_AFTER_MAX_MS),
    refused: status < 500 && !TRANSIENT.has(status),
    reached: true,
    limited: status === 429,
  };
}

/** Of the 4xx, those that speak of the moment and not of the message. */
const TRANSIENT = new Set([408, 409, 421, 423, 425, 429]);

/** RFC 9110, 10.2.3: seconds or a date. */
function retryAfterOf({ headers }: HttpAnswer, nowMs: number): number | undefined {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date - nowMs;
}

function failure(error: unknown, late: boolean, reached: boolean): Outcome {
  const failed = { ok: false, retryAfterMs: undefined, reached, limited: false } as const;
  if (late) return { ...failed, status: null, error: `no answer within ${SEND_MS / 1000} s`, refused: false };
  if (error instanceof OutboundRefused)
    return { ...failed, status: null, error: error.message, refused: true };
  if (error instanceof MailRefused) {
    const { status, message, permanent } = error;
    return { ...failed, reached: status !== null, status, error: message, refused: permanent };
  }
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  const reason = error instanceof Error ? error.message : String(error);
  return { ...failed, status: null, error: `not reached: ${reason}${code}`.slice(0, 500), refused: false };
}
