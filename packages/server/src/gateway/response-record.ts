import type { Usage } from '@floe/wire/usage';

/** Collects what the current attempt is charged for, and what its row records. */
export class ResponseRecord {
  #usage: Usage | null = null;
  #contentBytes = 0;
  #contentChunks = 0;
  #finishReason: string | null = null;
  #responseId: string | null = null;
  #results: ReadonlyMap<string, Usage> | null = null;
  #dropped: readonly string[] = [];

  /** The usage that the provider reported. */
  get usage(): Usage | null {
    return this.#usage;
  }

  /** UTF-8 bytes of text, reasoning and tool calls. */
  get contentBytes(): number {
    return this.#contentBytes;
  }

  /** Number of chunks with content. */
  get contentChunks(): number {
    return this.#contentChunks;
  }

  /** The provider's finish reason; null before the finish. */
  get finishReason(): string | null {
    return this.#finishReason;
  }

  /** The provider's id of a response, which may continue in the background after the exchange. */
  get responseId(): string | null {
    return this.#responseId;
  }

  /** Usage by model, if the response contains batch results. */
  get results(): ReadonlyMap<string, Usage> | null {
    return this.#results;
  }

  /** Paths of hints that the target does not support. */
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

  /** Resets everything for another attempt. */
  reset(): void {
    this.#usage = null;
    this.#contentBytes = 0;
    this.#contentChunks = 0;
  }
}
