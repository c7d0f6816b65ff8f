import { formatFaultBody } from '@floe/contract/fault-response';
import type { Fault } from '@floe/contract/faults';
import { formatSseFrame } from '@floe/wire/sse';
import { buildKeepAliveHeaders } from './answer-headers.ts';
import type { KeepAliveTimer } from './deadlines.ts';
import type { Exchange } from './exchange-record.ts';
import { formatResponsesFailure } from './responses-failure.ts';

/** Proxies and clients give up on a stream that says nothing; the strictest known wait 30 s. */
const SILENCE_MS = 20_000;
/** Parsers of event streams skip comments (WHATWG HTML 9.2.6). */
const COMMENT = ': waiting for the provider\n\n';

/**
 * Answers 200 with a comment once a stream has been silent for 20 s, and again every 20 s until its content.
 * Targets may still change, so such an answer names none.
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
    if (!progress.isHeadSent) client.startAnswer(200, buildKeepAliveHeaders(this.#x));
    progress.markHeadSent(this);
    client.writeComment(COMMENT);
  }

  /** Takes the first chunk of an answer ahead of its content; true when the client has it. */
  sendFirstChunk(_chunk: string): boolean {
    return false;
  }

  /** The failure of a stream that was answered early and had no content: one error event of its dialect. */
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
