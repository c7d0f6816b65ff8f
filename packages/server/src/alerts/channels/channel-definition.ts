import type { ChannelConfig } from '@floe/contract/config';
import type { AlertMessage } from '../alert-message.ts';

export type ChannelKind = ChannelConfig['kind'];
/** The configuration type of one kind of channel. Some kinds share a type. */
export type ChannelConfigOf<Kind extends ChannelKind> = VariantOfKind<ChannelConfig, Kind>;
type VariantOfKind<Config, Kind> = Config extends { readonly kind: infer Kinds }
  ? Kind extends Kinds
    ? Config
    : never
  : never;

/** The POST request for a message, without the idempotency key. */
export interface ChannelHttpRequest {
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
  /** Whether the body was received completely and in time. */
  readonly isComplete: boolean;
}

/** A plain-text email. */
export interface OutgoingMail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly messageId: string;
  /**
   * Id of the message to which this email replies, so that mail programs show both in one thread. Null for a
   * new thread.
   */
  readonly inReplyTo: string | null;
}

/**
 * The previous signing secret of a webhook channel. For 24 hours after a secret is replaced, requests are signed
 * with both the new and the previous secret. After that, `previousSecret` is null.
 */
export interface PreviousSigningSecret {
  readonly previousSecret: string | null;
}

/**
 * The declaration of a kind of channel. It builds messages and determines which responses mean
 * success.
 */
export interface ChannelDefinition<Kind extends ChannelKind> {
  /**
   * Whether the receiver manages incidents. A closing message must then close exactly the incident that its
   * thread opened.
   */
  readonly managesIncidents?: true;
  readonly http?: {
    message(
      notice: AlertMessage,
      config: ChannelConfigOf<Kind>,
      secrets: PreviousSigningSecret,
    ): ChannelHttpRequest;
    /**
     * Returns why a 2xx response is a failure; null if it is a success. If the function is absent, every 2xx
     * response is a success.
     */
    refusal?(answer: ReceiverResponse): string | null;
    /** Returns the wait in milliseconds, if the receiver states it in the body of a 429 response. */
    retryAfterMs?(answer: ReceiverResponse): number | undefined;
  };
  readonly mail?: (notice: AlertMessage, config: ChannelConfigOf<Kind>) => OutgoingMail;
}

export const JSON_HEADERS = { 'content-type': 'application/json' } as const;

/**
 * Returns an error text if the response is an HTML page, such as a sign-in page or the error page of a proxy;
 * otherwise null.
 */
export function explainHtmlResponse(answer: ReceiverResponse): string | null {
  const isPage =
    /text\/html/i.test(String(answer.headers['content-type'] ?? '')) || /^\s*</.test(answer.text);
  return isPage ? 'the response is an HTML page; check the URL' : null;
}

/** Returns the response body as a JSON object; null if it is not a JSON object. */
export function parseReceiverJson(answer: ReceiverResponse): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(answer.text);
    return isJsonRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Returns whether a value is a JSON object and not an array or null. */
export function isJsonRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the color of a message as an RGB number: red, green or gray, depending on its phase. */
export function selectMessageColor({ phase }: AlertMessage): number {
  if (phase === 'opens') return 0xd1242f;
  return phase === 'closes' ? 0x1a7f37 : 0x6e7781;
}

/**
 * Returns the symbol to show before the title. It indicates the phase in channels whose messages
 * have no color.
 */
export function selectMessageSymbol({ phase }: AlertMessage): string {
  if (phase === 'opens') return '🔴';
  return phase === 'closes' ? '🟢' : '🔔';
}
