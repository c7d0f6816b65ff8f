import type { Fault } from '@floe/contract/faults';
import { mergeUsage, type Usage } from '@floe/wire/usage';
import { contentTokensAtMost, inputTokensAtMost } from '../guardrails/estimate.ts';
import type { Extension, Grant } from '../guardrails/grant.ts';
import { credible } from './booked-usage.ts';
import type { Exchange } from './exchange-record.ts';
import { nanoUsdOf } from './worth.ts';

/** A reservation grows by a quarter of the output so far, and by no less than this. */
const LEAST_STEP_TOKENS = 512;
const STEP_SHARE = 1 / 4;
/** Enough for a difference in price that rounding does not blur. */
const SAMPLE_TOKENS = 1_000_000;

/** `go`, a wait for the shared store that says at its end whether the stream is over, or why it is over now. */
export type Verdict = 'go' | Fault | Promise<Fault | null>;

/** The meter of a stream; null where no hard budget pays for it or its client did not ask for one. */
export function meterFor(x: Exchange): SpendMeter | null {
  const { ask } = x.request;
  const grant = x.admission?.grant;
  if (!grant || grant.reserved === null || !ask?.stream) return null;
  return new SpendMeter(x, grant, inputTokensAtMost(ask.body));
}

/**
 * Compares what a stream has cost so far with what the hard budgets hold for it, after each read. It asks for more
 * before that is used up, so that a stream need not stand still for it; one that has used up all there is ends. What
 * it counts is an upper estimate: short of the read that crosses the line, nothing is spent that was not reserved.
 */
export class SpendMeter {
  readonly #x: Exchange;
  readonly #grant: Grant;
  readonly #inputTokens: number;
  /** Nano-USD of one token of output. */
  readonly #perToken: number;
  #tokens = 0;
  /** Up to so many tokens nothing has to be asked for. */
  #enoughTokens = -1;
  #usage: Usage | null = null;
  /** Tokens when the answer said that it was finished. */
  #finishedTokens: number | null = null;
  #asking: Promise<Extension> | null = null;
  /** There was less than was asked for: the rest is asked for only once it is needed. */
  #isScarce = false;

  constructor(x: Exchange, grant: Grant, inputTokens: number) {
    this.#x = x;
    this.#grant = grant;
    this.#inputTokens = inputTokens;
    this.#perToken = (this.#costOf(SAMPLE_TOKENS) - this.#costOf(0)) / SAMPLE_TOKENS;
  }

  /** Called after each read, once its bytes are with the client. */
  weigh(): Verdict {
    const { contentBytes, contentPieces, usage, finish } = this.#x.answer;
    const counted = contentTokensAtMost(contentBytes, contentPieces);
    if (counted === 0 || (counted <= this.#enoughTokens && usage === this.#usage)) return 'go';
    // What is whole is not cut: only content behind its finish counts again.
    if (finish !== null) this.#finishedTokens ??= counted;
    if (counted === this.#finishedTokens) return 'go';
    this.#usage = usage;
    this.#tokens = Math.max(counted, credible(usage)?.units.output ?? 0);
    const over = this.#over;
    if (over + this.#lead <= 0) {
      this.#noteEnough();
      return 'go';
    }
    const asked = this.#ask();
    if (!(asked instanceof Promise)) return (this.#over > 0 && asked.fault) || 'go';
    // There is still something left to go on with meanwhile.
    return over > 0 ? this.#covered(asked) : 'go';
  }

  /** Waits until what is reserved covers what the stream has cost, or nothing more can be had. */
  async #covered(asked: Promise<Extension>): Promise<Fault | null> {
    for (let asking: Extension | Promise<Extension> = asked; ; asking = this.#ask()) {
      const { fault } = await asking;
      if (this.#over <= 0) return null;
      if (fault) return fault;
    }
  }

  #ask(): Extension | Promise<Extension> {
    if (this.#asking) return this.#asking;
    const { guard } = this.#x.gateway;
    const asked = guard.extend(this.#grant, Math.ceil(this.#over + this.#lead + this.#step));
    if (!(asked instanceof Promise)) return this.#noteAnswer(asked);
    this.#asking = asked.then((extension) => this.#noteAnswer(extension));
    // Whoever waits for it is told; the others go on with what they have.
    this.#asking.catch(() => undefined);
    return this.#asking;
  }

  #noteAnswer(extension: Extension): Extension {
    this.#asking = null;
    this.#isScarce = extension.fault !== null;
    this.#noteEnough();
    return extension;
  }

  /** How far the stream may go before anything must be asked for. */
  #noteEnough(): void {
    const left = -this.#over - this.#lead;
    this.#enoughTokens = this.#tokens + (this.#perToken > 0 ? Math.floor(left / this.#perToken) : Infinity);
  }

  /** Nano-USD that the stream has cost above what is reserved; below 0 while something is left. */
  get #over(): number {
    return this.#costOf(this.#tokens) - (this.#grant.reserved ?? 0);
  }

  /** Nano-USD that are reserved at a time. */
  get #step(): number {
    return Math.max(LEAST_STEP_TOKENS, this.#tokens * STEP_SHARE) * this.#perToken;
  }

  get #lead(): number {
    return this.#isScarce ? 0 : this.#step / 2;
  }

  #costOf(output: number): number {
    const reported = credible(this.#usage);
    const units = { input: reported?.units.input || this.#inputTokens, output };
    return nanoUsdOf(this.#x, mergeUsage(reported, { units })) ?? 0;
  }
}
