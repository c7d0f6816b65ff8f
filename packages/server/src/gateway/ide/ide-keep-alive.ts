import { CLIENT_DIALECTS } from '@floe/wire/dialects';
import type { CanonicalRequest } from '@floe/wire/request';
import { CommentKeepAlive } from '../comment-keep-alive.ts';
import type { Exchange } from '../exchange-record.ts';
import { buildEarlyStreamHeaders } from '../response-headers.ts';
import { createIdeResponseOptions, createResponseIdsAndTimes } from './response-options.ts';

/** Interval between checks. At most twice this time passes without data. */
const CHECK_INTERVAL_MS = 7_500;
const COMMENT = ': keepalive\n\n';

/**
 * Keeps an IDE connected during long reasoning. Sends the role chunk when a provider starts its
 * response, or after 7.5 s without data. Then sends comments until the stream ends. The target may
 * still change before the first content.
 */
export class IdeKeepAlive extends CommentKeepAlive {
  override readonly continuesAfterContent = true;
  #x: Exchange;
  #canonical: CanonicalRequest;
  #checkAt: number;
  #bytesSeen = 0;

  constructor(x: Exchange, canonical: CanonicalRequest) {
    super(x);
    this.#x = x;
    this.#canonical = canonical;
    this.#checkAt = x.startedAt + CHECK_INTERVAL_MS;
  }

  override nextFireAt(): number {
    return this.#checkAt;
  }

  override onTimer(): void {
    const { client, gateway } = this.#x;
    this.#checkAt = gateway.clock.monotonic() + CHECK_INTERVAL_MS;
    if (client.isDisconnected) return;
    if (client.bytesOut === this.#bytesSeen) this.#sendSignOfLife();
    this.#bytesSeen = client.bytesOut;
  }

  /** Sends the first chunk of a response once, because it is equal for all targets. */
  override sendFirstChunk(chunk: string): boolean {
    const { client, gateway, progress } = this.#x;
    if (progress.isHeadSent || client.isDisconnected) return true;
    client.startAnswer(200, buildEarlyStreamHeaders(this.#x));
    client.write(chunk);
    progress.markHeadSent(this);
    this.#checkAt = gateway.clock.monotonic() + CHECK_INTERVAL_MS;
    return true;
  }

  #sendSignOfLife(): void {
    if (!this.#x.progress.isHeadSent) this.sendFirstChunk(this.#roleChunk());
    this.#x.client.writeComment(COMMENT);
  }

  #roleChunk(): string {
    const { model } = this.#canonical;
    const context = {
      request: this.#canonical,
      ...createResponseIdsAndTimes(this.#x),
      ...createIdeResponseOptions(this.#x),
    };
    return CLIENT_DIALECTS.chat.createResponseWriter(context).write({ type: 'start', id: context.id, model });
  }
}
