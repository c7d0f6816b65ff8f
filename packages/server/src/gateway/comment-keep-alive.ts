import { formatFaultBody } from '@floe/contract/fault-response';
import type { Fault } from '@floe/contract/faults';
import { formatSseFrame } from '@floe/wire/sse';
import type { KeepAliveTimer } from './attempt-deadlines.ts';
import type { Exchange } from './exchange-record.ts';
import { buildEarlyStreamHeaders } from './response-headers.ts';
import { formatResponsesFailure } from './responses-failure.ts';

/**
 * Time without data after which a comment is sent. Clients and proxies close silent streams; the shortest
 * known timeout is 30 s.
 */
const SILENCE_MS = 20_000;
/** Parsers of event streams skip comments (WHATWG HTML, section 9.2.6). */
const COMMENT = ': waiting for the provider\n\n';

/**
 * Keeps the client's connection alive while there is no content. After 20 s without data, sends
 * status 200 and an SSE comment, and then a comment every 20 s until content arrives. The target
 * can still change, so the headers do not name it.
 */
export class CommentKeepAlive implements KeepAliveTimer {
  readonly continuesAfterContent: boolean = false;
  #x: Exchange;
  #nextFireAt: number;

  constructor(x: Exchange) {
    this.#x = x;
    this.#nextFireAt = x.startedAt + SILENCE_MS;
  }

  nextFireAt(): number {
    return this.#nextFireAt;
  }

  onTimer(): void {
    const { client, gateway, progress } = this.#x;
    this.#nextFireAt = gateway.clock.monotonic() + SILENCE_MS;
    if (client.isDisconnected) return;
    if (!progress.isHeadSent) client.startAnswer(200, buildEarlyStreamHeaders(this.#x));
    progress.markHeadSent(this);
    client.writeComment(COMMENT);
  }

  /** Sends the first chunk of a response before its content. Returns true if the client has received it. */
  sendFirstChunk(_chunk: string): boolean {
    return false;
  }

  /**
   * Formats the error of a stream that was started early and has no content: one error event of its dialect.
   */
  formatError(fault: Fault): string {
    const { id, surface } = this.#x;
    switch (surface.dialect) {
      case 'chat':
        return formatSseFrame(undefined, formatFaultBody(fault, id, 'openai'));
      case 'messages':
        return formatSseFrame('error', formatFaultBody(fault, id, 'anthropic'));
      case 'responses':
        return formatResponsesFailure(fault, null, '', id);
    }
  }
}
