import type { ChannelConfig } from '@floe/contract/config';
import type { AlertNotice } from '../alert-notice.ts';

export type ChannelKind = ChannelConfig['kind'];
/** The configuration of a kind; some kinds share one. */
export type ChannelConfigOf<Kind extends ChannelKind> = VariantOfKind<ChannelConfig, Kind>;
type VariantOfKind<Config, Kind> = Config extends { readonly kind: infer Kinds }
  ? Kind extends Kinds
    ? Config
    : never
  : never;

/** A POST that carries a notice. Its idempotency key is added by the sender. */
export interface ChannelHttpMessage {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a receiver answered, as far as it was read. */
export interface ReceiverResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The first 16 KB. */
  readonly text: string;
  /** False when the answer broke off or did not end in time. */
  readonly isComplete: boolean;
}

export interface ChannelMail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly messageId: string;
  /** Of the message this one answers to, for threads in mail programs. */
  readonly inReplyTo: string | null;
}

/** Secrets of a webhook that signatures are made with; the earlier one while receivers change over. */
export interface SigningSecrets {
  readonly previousSecret: string | null;
}

/** One kind of channel as data: what is sent, and how the receiver says that it has it. */
export interface ChannelSheet<Kind extends ChannelKind> {
  /** It keeps incidents: an over message closes the one its thread opened, and only that. */
  readonly keepsIncidents?: true;
  readonly http?: {
    message(notice: AlertNotice, config: ChannelConfigOf<Kind>, secrets: SigningSecrets): ChannelHttpMessage;
    /** Why an answer of status 2xx is none of acceptance; null when it is. Absent: every 2xx is. */
    refusal?(answer: ReceiverResponse): string | null;
    /** Milliseconds to wait, where the receiver says so in the body of a 429. */
    retryAfterMs?(answer: ReceiverResponse): number | undefined;
  };
  readonly mail?: (notice: AlertNotice, config: ChannelConfigOf<Kind>) => ChannelMail;
}

export const JSON_HEADERS = { 'content-type': 'application/json' } as const;

/** A sign-in page or a proxy's notice is no answer of a chat service, whatever its status says. */
export function detectHtmlPage(answer: ReceiverResponse): string | null {
  const isPage =
    /text\/html/i.test(String(answer.headers['content-type'] ?? '')) || /^\s*</.test(answer.text);
  return isPage ? 'a web page came back; is the address right?' : null;
}

/** The body as a JSON object, or null. */
export function parseReceiverJson(answer: ReceiverResponse): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(answer.text);
    return isJsonRecord(value) ? value : null;
  } catch {
    return null;
  }
}

export function isJsonRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Red, green or grey, by what a notice means. */
export function noticeColor({ phase }: AlertNotice): number {
  if (phase === 'opens') return 0xd1242f;
  return phase === 'closes' ? 0x1a7f37 : 0x6e7781;
}

/** Titles of alerts and of ends differ at a glance, without color too. */
export function noticeMarker({ phase }: AlertNotice): string {
  if (phase === 'opens') return '🔴';
  return phase === 'closes' ? '🟢' : '🔔';
}
