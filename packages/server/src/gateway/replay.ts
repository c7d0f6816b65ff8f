import { Fault } from '@floe/contract/faults';
import type { AnswerWriter } from '@floe/wire/dialect';
import type { AnswerEvent, BlockKind, Emit, OpenEvent, Seal } from '@floe/wire/events';
import { oneBlockAtATime } from '@floe/wire/serial';
import type { ClientOut } from './client-out.ts';

/** A block of the answer as far as the client has it. */
interface Delivered {
  /** Its number at the writer, whatever number a later attempt gives it. */
  readonly block: number;
  readonly kind: BlockKind;
  readonly name: string | undefined;
  text: string;
  closed: boolean;
}

/**
 * One stream to the client over several attempts (`rescue: replay`). A later attempt generates the answer again:
 * what equals the delivered text is swallowed, what follows it goes on; at the first difference it throws.
 * Call ids and proofs of reasoning may differ, text, tool names and arguments may not.
 */
export class Replay {
  readonly writer: AnswerWriter;
  readonly out: ClientOut;
  /** A later attempt said something else: nothing can continue this stream. */
  diverged = false;
  #showsReasoning: boolean;
  #pass: Emit = ignore;
  #stage: Emit = ignore;
  #delivered: Delivered[] = [];
  #started = false;
  #origin: string | undefined;
  #sameOrigin = true;
  /** Where the running attempt is in what was delivered. */
  #at = 0;
  #offset = 0;
  #opened: OpenEvent | null = null;
  #hidden = false;

  constructor(writer: AnswerWriter, out: ClientOut, showsReasoning: boolean) {
    this.writer = writer;
    this.out = out;
    this.#showsReasoning = showsReasoning;
  }

  /** A new attempt: `pass` takes what the client has not had yet. `origin` names who answers. */
  begin(origin: string, pass: Emit): void {
    this.#origin ??= origin;
    this.#sameOrigin = this.#origin === origin;
    this.#pass = pass;
    this.#stage = oneBlockAtATime((event) => this.#take(event));
    this.#at = 0;
    this.#offset = 0;
    this.#opened = null;
    this.#hidden = false;
  }

  /** @throws Fault `upstream_stream_broken` at the first difference. */
  take(event: AnswerEvent): void {
    this.#stage(event);
  }

  #take(event: AnswerEvent): void {
    switch (event.type) {
      case 'start':
        if (!this.#started) this.#pass(event);
        this.#started = true;
        return;
      case 'open':
        return this.#open(event);
      case 'delta':
        if (this.#hidden) return;
        return this.#opened ? this.#delta(this.#opened, event.text) : undefined;
      case 'close':
        return this.#close(event.seal);
      case 'finish':
        if (this.#current()) this.#diverge();
        return this.#pass(event);
      default:
        return this.#pass(event);
    }
  }

  #open(event: OpenEvent): void {
    this.#opened = event;
    // Reasoning nobody sees may well be another one the second time.
    this.#hidden = event.kind === 'reasoning' && !this.#showsReasoning;
    // A call is there as soon as it is announced; other blocks are when they say something.
    if (event.kind === 'tool') this.#entry(event);
  }

  #delta(opened: OpenEvent, text: string): void {
    if (text === '') return;
    const entry = this.#entry(opened);
    const known = entry.text.slice(this.#offset, this.#offset + text.length);
    if (!text.startsWith(known)) this.#diverge();
    this.#offset += text.length;
    const surplus = text.slice(known.length);
    if (surplus === '') return;
    if (entry.closed) this.#diverge();
    entry.text += surplus;
    this.#pass({ type: 'delta', block: entry.block, text: surplus });
  }

  #close(seal: Seal | undefined): void {
    const opened = this.#opened;
    this.#opened = null;
    if (!opened || this.#hidden) {
      this.#hidden = false;
      return;
    }
    const current = this.#current();
    // A block without text: nothing of it was delivered, and it matters only for the proof it carries.
    const isEmpty = opened.kind !== 'tool' && this.#offset === 0;
    if (isEmpty && (current || !this.#sameOrigin || !seal)) return;
    const entry = this.#entry(opened);
    if (this.#offset < entry.text.length) this.#diverge();
    if (!entry.closed)
      this.#pass({ type: 'close', block: entry.block, seal: this.#sameOrigin ? seal : undefined });
    entry.closed = true;
    this.#at += 1;
    this.#offset = 0;
  }

  /** The delivered block this one stands for, else a new one, announced to the client. */
  #entry(opened: OpenEvent): Delivered {
    const known = this.#current();
    if (known) {
      if (known.kind !== opened.kind || known.name !== opened.name) this.#diverge();
      return known;
    }
    const block = this.#delivered.length;
    const entry = { block, kind: opened.kind, name: opened.name, text: '', closed: false };
    this.#delivered.push(entry);
    this.#pass({ ...opened, block });
    return entry;
  }

  #current(): Delivered | undefined {
    let entry = this.#delivered[this.#at];
    while (entry?.closed && entry.kind !== 'tool' && entry.text === '') {
      this.#at += 1;
      entry = this.#delivered[this.#at];
    }
    return entry;
  }

  #diverge(): never {
    this.diverged = true;
    throw new Fault(
      'upstream_stream_broken',
      'The stream broke off, and the answer generated in its place says something else than what was delivered.',
    );
  }
}

function ignore(): void {
  // Before the first attempt begins there is nobody to tell.
}
