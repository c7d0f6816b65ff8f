import type { Usage } from '@floe/wire/usage';

/** What the answer of the attempt under way is booked with, and what the row says of it. */
export class AnswerRecord {
  #usage: Usage | null = null;
  #contentBytes = 0;
  #contentChunks = 0;
  #finishReason: string | null = null;
  #responseId: string | null = null;
  #results: ReadonlyMap<string, Usage> | null = null;
  #dropped: readonly string[] = [];

  /** What the provider reported. */
  get usage(): Usage | null {
    return this.#usage;
  }

  /** UTF-8 bytes of text, reasoning and tool calls. */
  get contentBytes(): number {
    return this.#contentBytes;
  }

  /** In how many pieces the content came. */
  get contentChunks(): number {
    return this.#contentChunks;
  }

  /** Why the answer is over, in the provider's words; null until it is. */
  get finishReason(): string | null {
    return this.#finishReason;
  }

  /** The id that its provider gave a response, which may still be under way when the exchange has ended. */
  get responseId(): string | null {
    return this.#responseId;
  }

  /** Where the answer is the results of a batch: what each model used. */
  get results(): ReadonlyMap<string, Usage> | null {
    return this.#results;
  }

  /** Hints that the target could not carry, by field path. */
  get dropped(): readonly string[] {
    return this.#dropped;
  }

  setUsage(usage: Usage | null): void {
    this.#usage = usage;
  }

  addContent(bytes: number): void {
    this.#contentBytes += bytes;
    this.#contentChunks += 1;
  }

  setContent(bytes: number, pieces = this.#contentChunks): void {
    this.#contentBytes = bytes;
    this.#contentChunks = pieces;
  }

  setFinishReason(finish: string | null): void {
    this.#finishReason = finish;
  }

  setResponseId(id: string | null): void {
    this.#responseId = id;
  }

  setResults(results: ReadonlyMap<string, Usage> | null): void {
    this.#results = results;
  }

  setDropped(dropped: readonly string[]): void {
    this.#dropped = dropped;
  }

  /** Another attempt begins: what the one before used was set aside. */
  reset(): void {
    this.#usage = null;
    this.#contentBytes = 0;
    this.#contentChunks = 0;
  }
}
