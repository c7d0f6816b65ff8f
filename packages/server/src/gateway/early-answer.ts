import { faultBody } from '@floe/contract/fault-answer';
import type { Fault } from '@floe/contract/faults';
import { writeFrame } from '@floe/wire/sse';
import { earlyHeaders } from './answer-headers.ts';
import type { Quiet } from './deadlines.ts';
import type { Exchange } from './exchange-record.ts';
import { responsesFailure } from './responses-failure.ts';

/** Proxies and clients give up on a stream that says nothing; the strictest known wait 30 s. */
const SILENCE_MS = 20_000;
/** Parsers of event streams skip comments (WHATWG HTML 9.2.6). */
const COMMENT = ': waiting for the provider\n\n';

/**
 * Answers 200 with a comment once a stream has been silent for 20 s, and again every 20 s until its content.
 * Targets may still change, so such an answer names none.
 */
export class EarlyAnswer implements Quiet {
  readonly lasting: boolean = false;
  #x: Exchange;
  #nextAt: number;

  constructor(x: Exchange) {
    this.#x = x;
    this.#nextAt = x.startedAt + SILENCE_MS;
  }

  nextAt(): number {
    return this.#nextAt;
  }

  ring(): void {
    const { client, gateway, progress } = this.#x;
    this.#nextAt = gateway.clock.monotonic() + SILENCE_MS;
    if (client.gone) return;
    if (!progress.hasHead) client.open(200, earlyHeaders(this.#x));
    progress.headSent(this);
    client.comment(COMMENT);
  }

  /** Takes the first chunk of an answer ahead of its content; true when the client has it. */
  lead(_chunk: string): boolean {
    return false;
  }

  /** The failure of a stream that was answered early and had no content: one error event of its dialect. */
  failure(fault: Fault): string {
    const { id, surface } = this.#x;
    switch (surface.dialect) {
      case 'chat':
        return writeFrame(undefined, faultBody(fault, id, 'openai'));
      case 'messages':
        return writeFrame('error', faultBody(fault, id, 'anthropic'));
      case 'responses':
        return responsesFailure(fault, null, '', id);
    }
  }
}
