import type { Usage } from '@floe/wire/usage';
import { truncateDroppedFields } from './dropped-fields.ts';

/** Longer than the finish reasons of all dialects. */
const MAX_FINISH_REASON_CHARS = 100;
/** More than a response uses. The provider determines the number, and each container is a row in the database. */
const MAX_CONTAINERS = 100;

/** Limits a finish reason, because a provider determines its length and every request row contains it. */
export function truncateFinishReason<Reason extends string | null>(finish: Reason): Reason | string {
  return finish === null ? finish : finish.slice(0, MAX_FINISH_REASON_CHARS);
}

/**
 * The usage and other data of the current attempt's response. Floe uses them to charge for the attempt and to write the
 * row.
 */
export class AttemptResponseData {
  #usage: Usage | null = null;
  #contentBytes = 0;
  #contentChunks = 0;
  #finishReason: string | null = null;
  #responseId: string | null = null;
  #containerIds: readonly string[] = [];
  #results: ReadonlyMap<string, Usage> | null = null;
  #dropped: readonly string[] = [];

  /** The usage that the provider reported. */
  get usage(): Usage | null {
    return this.#usage;
  }

  /** Size of text, reasoning and tool calls in UTF-8 bytes. */
  get contentBytes(): number {
    return this.#contentBytes;
  }

  /** Number of chunks with content. */
  get contentChunks(): number {
    return this.#contentChunks;
  }

  /** The finish reason that the provider reported; null until then. */
  get finishReason(): string | null {
    return this.#finishReason;
  }

  /**
   * The provider's id of a response that may continue in the background after the exchange; null if there is
   * none.
   */
  get responseId(): string | null {
    return this.#responseId;
  }

  /** Usage by model, if the response contains batch results; otherwise null. */
  get results(): ReadonlyMap<string, Usage> | null {
    return this.#results;
  }

  /** Paths of the optional request fields that were omitted because the target does not support them. */
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
    this.#finishReason = truncateFinishReason(finish);
  }

  setResponseId(id: string | null): void {
    this.#responseId = id;
  }

  /** Ids of the containers in which the provider ran code for this response. */
  get containerIds(): readonly string[] {
    return this.#containerIds;
  }

  addContainers(ids: readonly string[]): void {
    if (ids.length === 0 || this.#containerIds.length >= MAX_CONTAINERS) return;
    this.#containerIds = [...new Set([...this.#containerIds, ...ids])].slice(0, MAX_CONTAINERS);
  }

  setResults(results: ReadonlyMap<string, Usage> | null): void {
    this.#results = results;
  }

  setDropped(dropped: readonly string[]): void {
    this.#dropped = truncateDroppedFields(dropped);
  }

  /** Resets everything for another attempt. */
  reset(): void {
    this.#usage = null;
    this.#contentBytes = 0;
    this.#contentChunks = 0;
    this.#finishReason = null;
    this.#responseId = null;
    this.#containerIds = [];
    this.#results = null;
    this.#dropped = [];
  }
}
