import type { Fault } from '@floe/contract/faults';
import type { ResponseFinish } from './finish-reason.ts';
import type { ResponseEvent, Seal } from './response-events.ts';
import type { Usage } from './usage.ts';

/** A block of text or a refusal. */
export interface TextBlock {
  readonly kind: 'text' | 'refusal';
  text: string;
}
/** A block of reasoning, with a seal if the provider returned one. */
export interface ReasoningBlock {
  readonly kind: 'reasoning';
  text: string;
  seal?: Seal | undefined;
}
/** A block that contains a tool call. */
export interface ToolCallBlock {
  readonly kind: 'tool';
  readonly id: string;
  readonly name: string;
  readonly freeform: boolean;
  /** Argument JSON as the provider wrote it, or raw text if `freeform`. */
  text: string;
}
/** One block of a response. */
export type ResponseBlock = TextBlock | ReasoningBlock | ToolCallBlock;

/** A response that is assembled from its events. If `finish` is absent, the response is incomplete. */
export interface CanonicalResponse {
  id: string;
  model: string;
  blocks: ResponseBlock[];
  usage?: Usage;
  finish?: ResponseFinish;
  fault?: Fault;
  dropped: string[];
  /** The dropped fields that are parts of the answer. */
  lostContent?: string[];
}

/** Builds a response from its events. After each event, `answer` is the response so far. */
export class ResponseAccumulator {
  readonly answer: CanonicalResponse = { id: '', model: '', blocks: [], dropped: [] };
  readonly #open = new Map<number, ResponseBlock>();

  add(event: ResponseEvent): void {
    const { answer } = this;
    switch (event.type) {
      case 'start':
        answer.id = event.id;
        answer.model = event.model;
        return;
      case 'open': {
        const block: ResponseBlock =
          event.kind === 'tool'
            ? {
                kind: 'tool',
                id: event.id ?? '',
                name: event.name ?? '',
                freeform: event.freeform === true,
                text: '',
              }
            : { kind: event.kind, text: '' };
        this.#open.set(event.block, block);
        answer.blocks.push(block);
        return;
      }
      case 'delta': {
        const block = this.#open.get(event.block);
        if (block) block.text += event.text;
        return;
      }
      case 'close': {
        const block = this.#open.get(event.block);
        if (block?.kind === 'reasoning' && event.seal) block.seal = event.seal;
        this.#open.delete(event.block);
        return;
      }
      case 'usage':
        answer.usage = event.usage;
        return;
      case 'finish':
        answer.finish = { reason: event.reason, raw: event.raw };
        return;
      case 'error':
        answer.fault = event.fault;
        return;
      case 'dropped':
        if (!answer.dropped.includes(event.field)) answer.dropped.push(event.field);
        if (event.isContent) {
          answer.lostContent ??= [];
          answer.lostContent.push(event.field);
        }
    }
  }
}

/**
 * Accumulates all events of a response.
 * @example
 * const events = [
 *   { type: 'start', id: 'a', model: 'gpt-5' },
 *   { type: 'open', block: 0, kind: 'text' },
 *   { type: 'delta', block: 0, text: 'Hel' },
 *   { type: 'delta', block: 0, text: 'lo' },
 * ];
 * accumulateResponse(events).blocks; // [{ kind: 'text', text: 'Hello' }]
 */
export function accumulateResponse(events: Iterable<ResponseEvent>): CanonicalResponse {
  const fold = new ResponseAccumulator();
  for (const event of events) fold.add(event);
  return fold.answer;
}

/**
 * Returns the events from which a complete response can be accumulated.
 * @example
 * const answer = { id: 'a', model: 'gpt-5', blocks: [{ kind: 'text', text: 'Hello' }], dropped: [] };
 * [...toResponseEvents(answer)].map(({ type }) => type); // ['start', 'open', 'delta', 'close']
 */
export function* toResponseEvents(answer: CanonicalResponse): Generator<ResponseEvent> {
  yield { type: 'start', id: answer.id, model: answer.model };
  for (const [block, entry] of answer.blocks.entries()) {
    if (entry.kind === 'tool') {
      const freeform = entry.freeform ? true : undefined;
      yield { type: 'open', block, kind: 'tool', id: entry.id, name: entry.name, freeform };
    } else yield { type: 'open', block, kind: entry.kind };
    if (entry.text !== '') yield { type: 'delta', block, text: entry.text };
    yield { type: 'close', block, seal: entry.kind === 'reasoning' ? entry.seal : undefined };
  }
  const lost = answer.lostContent && new Set(answer.lostContent);
  for (const field of answer.dropped)
    yield { type: 'dropped', field, isContent: lost?.has(field) ? true : undefined };
  if (answer.usage) yield { type: 'usage', usage: answer.usage };
  if (answer.fault) yield { type: 'error', fault: answer.fault };
  else if (answer.finish) yield { type: 'finish', ...answer.finish };
}
