import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import type { BlockKind, Emit, Seal } from './events.ts';
import { type FinishReason, readFinish } from './finish.ts';
import { reportName } from './json-read.ts';
import { describeError, faultOf } from './upstream-fault.ts';
import { mergeUsage, type Usage } from './usage.ts';

/** Finish words that say the answer failed: an error for the client, never an ending. */
const FAILED =
  /^(error|timeout|insufficient_system_resource|network_error|malformed_\w+|unexpected_tool_call|too_many_tool_calls|other|no_image)$/i;

/**
 * What every answer reader does alike: numbers blocks, keeps one prose block open at a time, reports a
 * loss once, and ends exactly once, with usage before the finish and nothing after it.
 */
export class BlockEmitter {
  readonly #emit: Emit;
  readonly #reported = new Set<string>();
  #next = 0;
  #prose: { readonly block: number; readonly kind: BlockKind } | undefined;
  #usage: Usage | undefined;
  #started = false;
  /** Tool blocks opened so far. */
  calls = 0;
  /** True once `finish` or `error` went out. */
  ended = false;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  start(id: string, model: string): void {
    if (this.#started) return;
    this.#started = true;
    this.#emit({ type: 'start', id, model });
  }

  get proseKind(): BlockKind | undefined {
    return this.#prose?.kind;
  }

  /** Adds to the open prose block of that kind, or opens one. Empty text opens nothing. */
  prose(kind: 'text' | 'refusal' | 'reasoning', text: string): void {
    if (text === '') return;
    if (this.#prose?.kind !== kind) {
      this.endProse();
      this.#prose = { block: this.open(kind), kind };
    }
    this.#emit({ type: 'delta', block: this.#prose.block, text });
  }

  endProse(seal?: Seal): void {
    if (this.#prose === undefined) return;
    this.#emit({ type: 'close', block: this.#prose.block, seal });
    this.#prose = undefined;
  }

  /** An empty reasoning block that brings a seal: for what comes next, or the end of the turn. */
  sealed(seal: Seal): void {
    this.endProse();
    this.close(this.open('reasoning'), seal);
  }

  open(kind: BlockKind, id?: string, name?: string, freeform?: true): number {
    const block = this.#next++;
    if (kind === 'tool') this.calls += 1;
    this.#emit({ type: 'open', block, kind, id, name, freeform });
    return block;
  }

  delta(block: number, text: string): void {
    if (text !== '') this.#emit({ type: 'delta', block, text });
  }

  close(block: number, seal?: Seal): void {
    this.#emit({ type: 'close', block, seal });
  }

  usage(usage: Usage | undefined): void {
    this.#usage = mergeUsage(this.#usage, usage);
  }

  dropped(given: string): void {
    const what = reportName(given);
    if (this.#reported.has(what)) return;
    this.#reported.add(what);
    this.#emit({ type: 'dropped', what });
  }

  /** A call makes it `tool`; an answer cut short or refused stays so, for its calls must not run. */
  finish(raw: string, known?: FinishReason): void {
    if (this.ended) return;
    if (known === undefined && FAILED.test(raw)) {
      this.fail(new Fault('upstream_error', `The provider ended the answer with \`${raw}\`.`));
      return;
    }
    this.endProse();
    this.#report();
    this.ended = true;
    const reason = known ?? readFinish(raw).reason;
    if (reason === 'length' || reason === 'refusal') this.#emit({ type: 'finish', reason, raw });
    else if (this.calls > 0) this.#emit({ type: 'finish', reason: 'tool', raw });
    else this.#emit({ type: 'finish', reason: reason === 'tool' ? 'stop' : reason, raw });
  }

  fail(fault: Fault): void {
    if (this.ended) return;
    this.#report();
    this.ended = true;
    this.#emit({ type: 'error', fault });
  }

  /** An error object the provider sent inside a 200. */
  failWith(error: JsonObject): void {
    if (this.ended) return;
    const upstream = describeError(200, error);
    this.#report();
    this.ended = true;
    this.#emit({ type: 'error', fault: faultOf(upstream), upstream });
  }

  /** The stream ended, or broke, before its finish. */
  broken(message = 'The provider closed the stream before the answer was complete.'): void {
    this.fail(new Fault('upstream_stream_broken', message));
  }

  #report(): void {
    if (this.#usage !== undefined) this.#emit({ type: 'usage', usage: this.#usage });
  }
}
