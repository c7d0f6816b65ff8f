import type { FindingKind } from '@floe/conditions/detect/sensitive-data-scan';
import { tryParseJson } from '@floe/wire/json-narrowing';
import type { ResponseEvent } from '@floe/wire/response-events';
import type { Usage } from '@floe/wire/usage';
import {
  listHostedToolNames,
  mayContainHostedToolCalls,
} from '../../guardrails/policies/hosted-tool-calls.ts';
import { createInlineLimits, tryEvaluateInline } from '../../guardrails/policies/inline-limits.ts';
import { detectFindingKinds, type StreamedPolicyResponse } from '../../guardrails/policies/policy-tasks.ts';
import { StreamStringCollector } from './stream-string-collector.ts';

/**
 * Whether a policy detects sensitive data in a stream, and which kinds of findings to look for in each frame instead
 * of at the end.
 */
export interface StreamDetectionSettings {
  /** The kinds to find in each frame; null if no policy can stop the stream early. */
  readonly early: ReadonlySet<FindingKind> | null;
  /** Whether a policy detects data. */
  readonly detects: boolean;
}

/** The data of a stream that policies read: its texts, its tools, and the kinds of findings so far. */
export class StreamPolicyData {
  /** Whether the response has content or a finish reason. */
  hasOpened = false;
  /** Whether a kind was found since `takeKinds`. */
  hasNewFinding = false;
  /** The text of each block, in pieces that are joined once at the end. */
  readonly #blocks = new Map<number, string[]>();
  /** Null if no policy detects data. */
  readonly #strings: StreamStringCollector | null;
  readonly #tools: string[] = [];
  /** A set, because a stream repeats its items at the end. */
  readonly #hostedTools = new Set<string>();
  readonly #kinds = new Set<FindingKind>();
  #finish = '';
  #usage: Usage | null;
  #longTexts: string[] = [];
  /** All texts of an event share them. */
  #limits = createInlineLimits();

  constructor({ early, detects }: StreamDetectionSettings, usage: Usage | null) {
    this.#usage = usage;
    this.#strings = detects ? new StreamStringCollector(early && ((text) => this.#scan(text, early))) : null;
  }

  /** Adds the strings of an event, and the hosted tools that it contains calls of. */
  addStrings(data: string): void {
    this.#limits = createInlineLimits();
    this.#strings?.add(data);
    if (mayContainHostedToolCalls(data))
      for (const name of listHostedToolNames(tryParseJson(data))) this.#hostedTools.add(name);
  }

  add(event: ResponseEvent): void {
    if (event.type === 'open') {
      this.hasOpened = true;
      this.#blocks.set(event.block, []);
      if (event.kind === 'tool' && event.name !== undefined) this.#tools.push(event.name);
    } else if (event.type === 'delta') this.#blocks.get(event.block)?.push(event.text);
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
   * Returns the new texts that are too long, or too many in one event, to scan on the main thread. They must be
   * scanned before the next frame.
   */
  takeLongTexts(): readonly string[] {
    const texts = this.#longTexts;
    if (texts.length > 0) this.#longTexts = [];
    return texts;
  }

  /** Returns the complete response. `usage` is used if the stream contained none. */
  complete(usage: Usage | null): Pick<StreamedPolicyResponse, 'answer' | 'blocks' | 'strings'> {
    const blocks = [...this.#blocks.values()].map((pieces) => pieces.join(''));
    const answer = {
      text: blocks.join('\n'),
      finish: this.#finish,
      tools: [...this.#tools, ...this.#hostedTools],
    };
    return {
      answer: { ...answer, usage: this.#usage ?? usage },
      blocks,
      strings: this.#strings?.texts() ?? [],
    };
  }

  #scan(text: string, wanted: ReadonlySet<FindingKind>): void {
    const kinds =
      this.#longTexts.length > 0
        ? null
        : tryEvaluateInline(({ scanMeter }) => detectFindingKinds([text], wanted, scanMeter), this.#limits);
    // Later texts wait, so that findings are recorded in the order of the response.
    if (kinds === null) this.#longTexts.push(text);
    else this.addFindings(kinds);
  }
}
