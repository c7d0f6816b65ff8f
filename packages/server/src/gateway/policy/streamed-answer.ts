import type { FindingKind } from '@floe/conditions/detect/sensitive-data-scan';
import type { ResponseEvent } from '@floe/wire/response-events';
import type { Usage } from '@floe/wire/usage';
import { INLINE_LIMITS } from '../../guardrails/policies/inline-limits.ts';
import { findKinds } from '../../guardrails/policies/policy-tasks.ts';
import type { PolicyResponse } from '../../guardrails/policies/response-subject.ts';

/**
 * Number of characters before the newest frame that are scanned together with it. Longer values are detected
 * at the end.
 */
const MATCH_TAIL_CHARS = 1024;

interface Block {
  /** Pieces of the text, which are joined once at the end. */
  readonly pieces: string[];
  tail: string;
}

/** The parts of a stream that policies read: its texts, its tools, and the kinds of findings so far. */
export class StreamedAnswer {
  /** Whether the response has content or a finish reason. */
  hasOpened = false;
  /** Whether a kind was found since `takeKinds`. */
  hasNewFinding = false;
  readonly #wanted: ReadonlySet<FindingKind> | null;
  readonly #blocks = new Map<number, Block>();
  readonly #tools: string[] = [];
  readonly #kinds = new Set<FindingKind>();
  #finish = '';
  #usage: Usage | null;
  #longTexts: string[] = [];

  /** @param wanted the kinds to find in each frame; null if no policy can stop the stream early */
  constructor(wanted: ReadonlySet<FindingKind> | null, usage: Usage | null) {
    this.#wanted = wanted;
    this.#usage = usage;
  }

  add(event: ResponseEvent): void {
    if (event.type === 'open') {
      this.hasOpened = true;
      this.#blocks.set(event.block, { pieces: [], tail: '' });
      if (event.kind === 'tool' && event.name !== undefined) this.#tools.push(event.name);
    } else if (event.type === 'delta') this.#addText(event.block, event.text);
    else if (event.type === 'usage') this.#usage = event.usage;
    else if (event.type === 'finish') {
      this.hasOpened = true;
      this.#finish = event.raw;
    }
  }

  addFindings(kinds: readonly FindingKind[]): void {
    for (const kind of kinds) {
      if (this.#kinds.has(kind)) continue;
      this.#kinds.add(kind);
      this.hasNewFinding = true;
    }
  }

  /** Returns all kinds of findings so far, in the order of the response. */
  takeKinds(): readonly FindingKind[] {
    this.hasNewFinding = false;
    return [...this.#kinds];
  }

  /**
   * Returns the new texts that are too long to scan in the main thread. They must be scanned before the next
   * frame.
   */
  takeLongTexts(): readonly string[] {
    const texts = this.#longTexts;
    if (texts.length > 0) this.#longTexts = [];
    return texts;
  }

  /** Returns the complete response. `usage` is used if the stream contained none. */
  complete(usage: Usage | null): { readonly answer: PolicyResponse; readonly texts: readonly string[] } {
    const texts = [...this.#blocks.values()].map(({ pieces }) => pieces.join(''));
    const text = texts.join('\n');
    return {
      answer: { text, finish: this.#finish, tools: this.#tools, usage: this.#usage ?? usage },
      texts,
    };
  }

  #addText(at: number, text: string): void {
    const block = this.#blocks.get(at);
    if (!block) return;
    block.pieces.push(text);
    if (this.#wanted === null) return;
    const recent = block.tail + text;
    block.tail = recent.slice(-MATCH_TAIL_CHARS);
    // Later texts wait, so that findings are recorded in the order of the response.
    if (this.#longTexts.length > 0 || recent.length > INLINE_LIMITS.scannedChars)
      this.#longTexts.push(recent);
    else this.addFindings(findKinds([recent], this.#wanted));
  }
}
