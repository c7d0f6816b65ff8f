import type { FindingKind } from '@floe/conditions/detect/sensitive-data-scan';
import { isJsonObject } from '@floe/contract/json';
import { tryParseJson } from '@floe/wire/json-narrowing';
import type { ResponseEvent } from '@floe/wire/response-events';
import type { Usage } from '@floe/wire/usage';
import {
  listHostedToolNames,
  mayContainHostedToolCalls,
} from '../../guardrails/policies/hosted-tool-calls.ts';
import { createInlineLimits, tryEvaluateInline } from '../../guardrails/policies/inline-limits.ts';
import { detectFindingKinds, type StreamedPolicyResponse } from '../../guardrails/policies/policy-tasks.ts';
import type { RequestEcho } from '../../guardrails/policies/request-echo.ts';
import { StreamStringCollector } from './stream-string-collector.ts';

/**
 * Matches a frame that announces the end of the response. Content cannot match, because its quotes are
 * escaped.
 */
const FINISH_PATTERN =
  /"(?:finish_reason|stop_reason)"\s*:\s*"(?!(?:null)?")|"type"\s*:\s*"(?:message_stop|response\.(?:completed|incomplete|failed))"|^\[DONE\]$/;
const FINAL_EVENT_PATTERN =
  /"type"\s*:\s*"(?:message_stop|response\.(?:completed|incomplete|failed))"|^\[DONE\]$/;
const FINAL_RESPONSES_EVENT = /^response\.(?:completed|incomplete|failed)$/;

/** Returns whether an event announces the end of the response. */
export function announcesEnd(data: string): boolean {
  return FINISH_PATTERN.test(data) && !isOtherResponsesEvent(data);
}

/** Returns whether an event is the last one of the response. */
export function endsResponse(data: string): boolean {
  return FINAL_EVENT_PATTERN.test(data) && !isOtherResponsesEvent(data);
}

/** Events of the Responses API repeat the `metadata` of the request, which can contain the same members. */
function isOtherResponsesEvent(data: string): boolean {
  const event = tryParseJson(data);
  const type = isJsonObject(event) ? event['type'] : undefined;
  return typeof type === 'string' && type.startsWith('response.') && !FINAL_RESPONSES_EVENT.test(type);
}

/**
 * Whether a policy detects sensitive data in a stream, and which kinds of findings to look for in each frame instead
 * of at the end.
 */
export interface StreamDetectionSettings {
  /** The kinds to find in each frame; null if no policy can stop the stream early. */
  readonly early: ReadonlySet<FindingKind> | null;
  /** Whether a policy detects data. */
  readonly detects: boolean;
  /** For the Responses API: finds the parts of events that repeat the request. */
  readonly echo?: RequestEcho | null;
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

  constructor({ early, detects, echo = null }: StreamDetectionSettings, usage: Usage | null) {
    this.#usage = usage;
    this.#strings = detects
      ? new StreamStringCollector(early && ((text) => this.#scan(text, early)), echo)
      : null;
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
