import { CLIENT_DIALECTS } from '@floe/wire/dialects';
import type { Ask as WireAsk } from '@floe/wire/request';
import { earlyHeaders } from '../answer-headers.ts';
import { EarlyAnswer } from '../early-answer.ts';
import type { Exchange } from '../exchange-record.ts';
import { answerIds, ideWriting } from './writing.ts';

/** Looked for this often: between two signs of life pass twice as much at most. */
const LOOK_MS = 7_500;
const COMMENT = ': keepalive\n\n';

/**
 * What keeps an IDE listening through minutes of thinking: the role chunk as soon as an upstream has begun its
 * answer, or after 7.5 s of silence, and comments from then to the end. Targets may still change until content.
 */
export class LeadingAnswer extends EarlyAnswer {
  override readonly lasting = true;
  #x: Exchange;
  #ask: WireAsk;
  #looksAt: number;
  #bytesSeen = 0;

  constructor(x: Exchange, ask: WireAsk) {
    super(x);
    this.#x = x;
    this.#ask = ask;
    this.#looksAt = x.startedAt + LOOK_MS;
  }

  override nextAt(): number {
    return this.#looksAt;
  }

  override ring(): void {
    const { client, gateway } = this.#x;
    this.#looksAt = gateway.clock.monotonic() + LOOK_MS;
    if (client.gone) return;
    if (client.bytesOut === this.#bytesSeen) this.#speak();
    this.#bytesSeen = client.bytesOut;
  }

  /** The first chunk of an answer. It goes out once, whichever target it is from: all are the same. */
  override lead(chunk: string): boolean {
    const { client, gateway, progress } = this.#x;
    if (progress.hasHead || client.gone) return true;
    client.open(200, earlyHeaders(this.#x));
    client.write(chunk);
    progress.headSent(this);
    this.#looksAt = gateway.clock.monotonic() + LOOK_MS;
    return true;
  }

  #speak(): void {
    if (!this.#x.progress.hasHead) this.lead(this.#roleChunk());
    this.#x.client.comment(COMMENT);
  }

  #roleChunk(): string {
    const { model } = this.#ask;
    const context = { ask: this.#ask, ...answerIds(this.#x), ...ideWriting(this.#x) };
    return CLIENT_DIALECTS.chat.answerWriter(context).write({ type: 'start', id: context.id, model });
  }
}
