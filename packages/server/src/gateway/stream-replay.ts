import { Fault } from '@floe/contract/faults';
import { createBlockSequencer } from '@floe/wire/block-sequencer';
import type { ResponseStreamWriter } from '@floe/wire/dialect';
import type {
  BlockKind,
  BlockOpenEvent,
  EmitResponseEvent,
  ResponseEvent,
  Seal,
} from '@floe/wire/response-events';
import type { ClientOutput } from './client-output.ts';

/** A block of the response that the client has received. */
interface DeliveredBlock {
  /** The number that the writer gave to the block. A later attempt may use another number. */
  readonly block: number;
  readonly kind: BlockKind;
  readonly name: string | undefined;
  text: string;
  closed: boolean;
}

/**
 * Sends one stream to the client from several attempts (`rescue: replay`). A later attempt generates the
 * response again: text that the client already has is skipped, and the rest is forwarded. Call ids and seals
 * may differ between attempts. Any other difference ends the stream with an error.
 */
export class StreamReplay {
  readonly writer: ResponseStreamWriter;
  readonly output: ClientOutput;
  /** Whether a later attempt generated different content, so that the stream cannot be continued. */
  hasDiverged = false;
  #showsReasoning: boolean;
  #emit: EmitResponseEvent = ignore;
  #normalize: EmitResponseEvent = ignore;
  #delivered: DeliveredBlock[] = [];
  #started = false;
  #origin: string | undefined;
  #sameOrigin = true;
  /** Position of the current attempt in the delivered blocks. */
  #blockIndex = 0;
  #offset = 0;
  #openedBlock: BlockOpenEvent | null = null;
  #isHidden = false;

  constructor(writer: ResponseStreamWriter, output: ClientOutput, showsReasoning: boolean) {
    this.writer = writer;
    this.output = output;
    this.#showsReasoning = showsReasoning;
  }

  /**
   * Starts an attempt. `pass` receives the events that the client does not have yet. `origin` identifies the
   * target.
   */
  begin(origin: string, pass: EmitResponseEvent): void {
    this.#origin ??= origin;
    this.#sameOrigin = this.#origin === origin;
    this.#emit = pass;
    this.#normalize = createBlockSequencer((event) => this.#onEvent(event));
    this.#blockIndex = 0;
    this.#offset = 0;
    this.#openedBlock = null;
    this.#isHidden = false;
  }

  /** Processes an event. @throws Fault `upstream_stream_broken` at the first difference */
  push(event: ResponseEvent): void {
    this.#normalize(event);
  }

  #onEvent(event: ResponseEvent): void {
    switch (event.type) {
      case 'start':
        if (!this.#started) this.#emit(event);
        this.#started = true;
        return;
      case 'open':
        return this.#open(event);
      case 'delta':
        if (this.#isHidden) return;
        return this.#openedBlock ? this.#delta(this.#openedBlock, event.text) : undefined;
      case 'close':
        return this.#close(event.seal);
      case 'finish':
        if (this.#currentBlock()) this.#diverge();
        return this.#emit(event);
      default:
        return this.#emit(event);
    }
  }

  #open(event: BlockOpenEvent): void {
    this.#openedBlock = event;
    // Reasoning that the client does not receive may differ.
    this.#isHidden = event.kind === 'reasoning' && !this.#showsReasoning;
    // A call exists as soon as it is announced. Other blocks exist when they have content.
    if (event.kind === 'tool') this.#findOrOpenBlock(event);
  }

  #delta(opened: BlockOpenEvent, text: string): void {
    if (text === '') return;
    const entry = this.#findOrOpenBlock(opened);
    const known = entry.text.slice(this.#offset, this.#offset + text.length);
    if (!text.startsWith(known)) this.#diverge();
    this.#offset += text.length;
    const surplus = text.slice(known.length);
    if (surplus === '') return;
    if (entry.closed) this.#diverge();
    entry.text += surplus;
    this.#emit({ type: 'delta', block: entry.block, text: surplus });
  }

  #close(seal: Seal | undefined): void {
    const opened = this.#openedBlock;
    this.#openedBlock = null;
    if (!opened || this.#isHidden) {
      this.#isHidden = false;
      return;
    }
    const current = this.#currentBlock();
    // A block without text was not delivered. It is needed only for its seal.
    const isEmpty = opened.kind !== 'tool' && this.#offset === 0;
    if (isEmpty && (current || !this.#sameOrigin || !seal)) return;
    const entry = this.#findOrOpenBlock(opened);
    if (this.#offset < entry.text.length) this.#diverge();
    if (!entry.closed)
      this.#emit({ type: 'close', block: entry.block, seal: this.#sameOrigin ? seal : undefined });
    entry.closed = true;
    this.#blockIndex += 1;
    this.#offset = 0;
  }

  /** Returns the delivered block that corresponds to this one, or announces a new block to the client. */
  #findOrOpenBlock(opened: BlockOpenEvent): DeliveredBlock {
    const known = this.#currentBlock();
    if (known) {
      if (known.kind !== opened.kind || known.name !== opened.name) this.#diverge();
      return known;
    }
    const block = this.#delivered.length;
    const entry = { block, kind: opened.kind, name: opened.name, text: '', closed: false };
    this.#delivered.push(entry);
    this.#emit({ ...opened, block });
    return entry;
  }

  #currentBlock(): DeliveredBlock | undefined {
    let entry = this.#delivered[this.#blockIndex];
    while (entry?.closed && entry.kind !== 'tool' && entry.text === '') {
      this.#blockIndex += 1;
      entry = this.#delivered[this.#blockIndex];
    }
    return entry;
  }

  #diverge(): never {
    this.hasDiverged = true;
    throw new Fault(
      'upstream_stream_broken',
      'The stream was cut off, and Floe could not continue it: the regenerated response differs from the part that was already sent. Send the request again.',
    );
  }
}

function ignore(): void {
  // No attempt has started, so no one receives events.
}
