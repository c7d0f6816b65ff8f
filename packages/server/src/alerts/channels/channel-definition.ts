import type { ChannelConfig } from '@floe/contract/config';
import type { AlertNotice } from '../alert-notice.ts';

export type ChannelKind = ChannelConfig['kind'];
/** The configuration of one kind of channel. Some kinds share a configuration type. */
export type ChannelConfigOf<Kind extends ChannelKind> = VariantOfKind<ChannelConfig, Kind>;
type VariantOfKind<Config, Kind> = Config extends { readonly kind: infer Kinds }
  ? Kind extends Kinds
    ? Config
    : never
  : never;

/** The POST request for a message. The sender adds the idempotency key. */
export interface ChannelHttpMessage {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A receiver's response to a message. */
export interface ReceiverResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The first 16 KB of the body. */
  readonly text: string;
  /** False if the body was incomplete or too late. */
  readonly isComplete: boolean;
}

export interface OutgoingMail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly messageId: string;
  /** Message id to which this mail replies, so that mail programs show a thread. */
  readonly inReplyTo: string | null;
}

/**
 * The secrets that sign webhook requests. After a change, the previous secret is also used for 24
 * hours.
 */
export interface SigningSecrets {
  readonly previousSecret: string | null;
}

/**
 * The declaration of a kind of channel. It builds messages and determines which responses mean
 * success.
 */
export interface ChannelDefinition<Kind extends ChannelKind> {
  /** The receiver keeps incidents. A closing message closes exactly the incident that its thread opened. */
  readonly keepsIncidents?: true;
  readonly http?: {
    message(notice: AlertNotice, config: ChannelConfigOf<Kind>, secrets: SigningSecrets): ChannelHttpMessage;
    /** Returns why a 2xx response is a failure, or null. If absent, every 2xx response is a success. */
    refusal?(answer: ReceiverResponse): string | null;
    /** Wait in milliseconds, if the receiver states it in the body of a 429 response. */
    retryAfterMs?(answer: ReceiverResponse): number | undefined;
  };
  readonly mail?: (notice: AlertNotice, config: ChannelConfigOf<Kind>) => OutgoingMail;
}

export const JSON_HEADERS = { 'content-type': 'application/json' } as const;

/**
 * Returns an error text if the response is an HTML page, such as a sign-in page or a proxy's error
 * page. Otherwise returns null.
 */
export function explainHtmlResponse(answer: ReceiverResponse): string | null {
  const isPage =
    /text\/html/i.test(String(answer.headers['content-type'] ?? '')) || /^\s*</.test(answer.text);
  return isPage ? 'the response is an HTML page; check the URL' : null;
}

/** Returns the response body as a JSON object, or null if it is not one. */
export function parseReceiverJson(answer: ReceiverResponse): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(answer.text);
    return isJsonRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Returns whether a value is a JSON object, and neither an array nor null. */
export function isJsonRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns red, green or gray as an RGB number, depending on the message's phase. */
export function selectNoticeColor({ phase }: AlertNotice): number {
  if (phase === 'opens') return 0xd1242f;
  return phase === 'closes' ? 0x1a7f37 : 0x6e7781;
}

/** Returns a symbol to show before the title. It indicates the phase without color. */
export function selectNoticeSymbol({ phase }: AlertNotice): string {
  if (phase === 'opens') return '🔴';
  return phase === 'closes' ? '🟢' : '🔔';
}
