import { countContentBytes } from '@floe/wire/content-bytes';
import { findUsage, readBatchResultUsage } from '@floe/wire/find-usage';
import { sumUsage, type Usage } from '@floe/wire/usage';
import { BufferedResponseLimiter } from '../buffered-response-limiter.ts';
import { removeImplausibleCounts } from '../charged-usage.ts';
import { findContainerIds } from '../container-ids.ts';
import type { ExchangeCapacity } from '../overload/overload-manager.ts';

/** Maximum size of a JSON response whose usage is counted. */
const MAX_JSON_BYTES = 8 * 1024 * 1024;
/** Maximum length of a line of batch results whose usage is counted. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/**
 * Maximum number of models of a batch that are counted separately. The others are counted together, without a
 * price.
 */
const MAX_MODELS = 100;

const NO_IDS: readonly string[] = [];

/** Observes a response body while it is forwarded unchanged. */
export interface ResponseBodyObserver {
  /** @throws Fault `overloaded` if there is no memory for the part of the body that must be kept */
  push(chunk: Buffer): void;
  /** Returns whether the body is truncated although its connection ended normally. */
  isTruncated(): boolean;
  /** Returns the usage of the body. `isComplete` is false if the body ends within a line of batch results. */
  usage(isComplete?: boolean): Usage | undefined;
  /** Number of bytes so far. */
  readonly size: number;
  /** Returns the size of the generated content in UTF-8 bytes. */
  contentBytes(): number;
  /** Returns the ids of the containers of a Responses or Messages response. */
  containerIds(): readonly string[];
  /** For batch results: the usage of each model. Otherwise null. */
  readonly byModel: ReadonlyMap<string, Usage> | null;
  /** For batch results: the number of complete lines so far. Otherwise 0. */
  readonly lines: number;
}

/**
 * Creates the observer for a body with this content type; null if such a body contains no usage.
 * @param countedLines number of lines of batch results whose usage has been counted before
 */
export function createResponseBodyObserver(
  capacity: ExchangeCapacity,
  contentType: string,
  isResults: boolean,
  countedLines = 0,
): ResponseBodyObserver | null {
  if (isResults) return new ResultsTap(capacity, countedLines);
  if (/jsonl|jsonlines|ndjson/i.test(contentType)) return new ResultsTap(capacity, 0);
  return /[/+]json\b/i.test(contentType) ? new JsonTap(capacity) : null;
}

class JsonTap implements ResponseBodyObserver {
  readonly byModel = null;
  readonly lines = 0;
  readonly #memory: BufferedResponseLimiter;
  #chunks: Buffer[] = [];
  #size = 0;
  #parsed: { readonly value: unknown } | null = null;

  constructor(capacity: ExchangeCapacity) {
    this.#memory = new BufferedResponseLimiter(capacity);
  }

  push(chunk: Buffer): void {
    this.#size += chunk.length;
    const isKept = this.#size <= MAX_JSON_BYTES;
    this.#memory.reserve(isKept ? this.#size : 0);
    if (isKept) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  isTruncated(): boolean {
    return this.#size > 0 && this.#size <= MAX_JSON_BYTES && this.#read() === undefined;
  }

  usage(): Usage | undefined {
    return this.#size > MAX_JSON_BYTES ? undefined : findUsage(this.#read());
  }

  containerIds(): readonly string[] {
    return this.#size > MAX_JSON_BYTES ? NO_IDS : findContainerIds(this.#read());
  }

  get size(): number {
    return this.#size;
  }

  contentBytes(): number {
    if (this.#size > MAX_JSON_BYTES) return this.#size;
    const { added, whole } = countContentBytes(Buffer.concat(this.#chunks, this.#size));
    return Math.max(added, whole);
  }

  /** Parses the complete body once. */
  #read(): unknown {
    this.#parsed ??= { value: tryParseJson(Buffer.concat(this.#chunks).toString('utf8')) };
    return this.#parsed.value;
  }
}

/** Reads batch results, with one JSON object per line. */
class ResultsTap implements ResponseBodyObserver {
  readonly byModel = new Map<string, Usage>();
  #parts: Buffer[] = [];
  #size = 0;
  readonly size = 0;
  lines = 0;
  readonly #memory: BufferedResponseLimiter;
  readonly #countedLines: number;

  constructor(capacity: ExchangeCapacity, countedLines: number) {
    this.#memory = new BufferedResponseLimiter(capacity);
    this.#countedLines = countedLines;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
      this.#appendToLine(chunk.subarray(from, at));
      this.#endLine();
      this.lines += 1;
      from = at + 1;
    }
    this.#appendToLine(chunk.subarray(from));
    this.#memory.reserve(this.#size <= MAX_LINE_BYTES ? this.#size : 0);
  }

  isTruncated(): boolean {
    return false;
  }

  usage(isComplete = true): Usage | undefined {
    if (isComplete) this.#endLine();
    let sum: Usage | null = null;
    for (const usage of this.byModel.values()) sum = sumUsage(sum, usage);
    return sum ?? undefined;
  }

  /** Returns 0, because the content of batch results does not belong to this request. */
  contentBytes(): number {
    return 0;
  }

  /** Returns no ids, because the responses do not belong to this request. */
  containerIds(): readonly string[] {
    return NO_IDS;
  }

  #appendToLine(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size <= MAX_LINE_BYTES) this.#parts.push(piece);
    else this.#parts = [];
  }

  #endLine(): void {
    const text = this.#size <= MAX_LINE_BYTES ? Buffer.concat(this.#parts, this.#size).toString('utf8') : '';
    this.#parts = [];
    this.#size = 0;
    if (this.lines < this.#countedLines) return;
    const result = text.includes('"usage"') ? readBatchResultUsage(tryParseJson(text)) : undefined;
    const usage = removeImplausibleCounts(result?.usage ?? null);
    if (result === undefined || usage === null) return;
    const model = this.byModel.size < MAX_MODELS || this.byModel.has(result.model) ? result.model : '';
    const sum = sumUsage(this.byModel.get(model) ?? null, usage);
    if (sum) this.byModel.set(model, sum);
  }
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
