import type { Fault } from '@floe/contract/faults';
import { mergeUsage, type Usage } from '@floe/wire/usage';
import type { Grant, GrantExtension } from '../guardrails/grant.ts';
import { maxContentTokens, maxInputTokens } from '../guardrails/token-estimate.ts';
import { removeImplausibleCounts } from './charged-usage.ts';
import type { Exchange } from './exchange-record.ts';
import { computeRunningCost } from './usage-and-cost.ts';

/** A reservation grows by a quarter of the output so far, and by no less than this. */
const MIN_STEP_TOKENS = 512;
const STEP_SHARE = 1 / 4;
/** Enough for a difference in price that rounding does not blur. */
const SAMPLE_TOKENS = 1_000_000;

/** `go`, a wait for the shared store that says at its end whether the stream is over, or why it is over now. */
export type SpendCheckResult = 'go' | Fault | Promise<Fault | null>;

/** The meter of a stream; null where no hard budget pays for it or its client did not ask for one. */
export function createSpendMeter(x: Exchange): SpendMeter | null {
  const { prompt } = x.request;
  const grant = x.admission?.grant;
  if (!grant || grant.reservedNanoUsd === null || !prompt?.stream) return null;
  return new SpendMeter(x, grant, maxInputTokens(prompt.body));
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
  readonly #nanoUsdPerToken: number;
  #tokens = 0;
  /** Up to so many tokens nothing has to be asked for. */
  #coveredTokens = -1;
  #usage: Usage | null = null;
  /** Tokens when the answer said that it was finished. */
  #finishedTokens: number | null = null;
  #pendingExtension: Promise<GrantExtension> | null = null;
  /** There was less than was asked for: the rest is asked for only once it is needed. */
  #isExhausted = false;

  constructor(x: Exchange, grant: Grant, inputTokens: number) {
    this.#x = x;
    this.#grant = grant;
    this.#inputTokens = inputTokens;
    this.#nanoUsdPerToken = (this.#costNanoUsd(SAMPLE_TOKENS) - this.#costNanoUsd(0)) / SAMPLE_TOKENS;
  }

  /** Called after each read, once its bytes are with the client. */
  check(): SpendCheckResult {
    const { contentBytes, contentChunks, usage, finishReason } = this.#x.answer;
    const counted = maxContentTokens(contentBytes, contentChunks);
    if (counted === 0 || (counted <= this.#coveredTokens && usage === this.#usage)) return 'go';
    // What is whole is not cut: only content behind its finish counts again.
    if (finishReason !== null) this.#finishedTokens ??= counted;
    if (counted === this.#finishedTokens) return 'go';
    this.#usage = usage;
    this.#tokens = Math.max(counted, removeImplausibleCounts(usage)?.units.output ?? 0);
    const over = this.#overspendNanoUsd;
    if (over + this.#leadNanoUsd <= 0) {
      this.#updateCovered();
      return 'go';
    }
    const asked = this.#requestExtension();
    if (!(asked instanceof Promise)) return (this.#overspendNanoUsd > 0 && asked.fault) || 'go';
    // There is still something left to go on with meanwhile.
    return over > 0 ? this.#waitUntilCovered(asked) : 'go';
  }

  /** Waits until what is reserved covers what the stream has cost, or nothing more can be had. */
  async #waitUntilCovered(asked: Promise<GrantExtension>): Promise<Fault | null> {
    for (let asking: GrantExtension | Promise<GrantExtension> = asked; ; asking = this.#requestExtension()) {
      const { fault } = await asking;
      if (this.#overspendNanoUsd <= 0) return null;
      if (fault) return fault;
    }
  }

  #requestExtension(): GrantExtension | Promise<GrantExtension> {
    if (this.#pendingExtension) return this.#pendingExtension;
    const { guard } = this.#x.gateway;
    const asked = guard.extend(
      this.#grant,
      Math.ceil(this.#overspendNanoUsd + this.#leadNanoUsd + this.#stepNanoUsd),
    );
    if (!(asked instanceof Promise)) return this.#recordExtension(asked);
    this.#pendingExtension = asked.then((extension) => this.#recordExtension(extension));
    // Whoever waits for it is told; the others go on with what they have.
    this.#pendingExtension.catch(() => undefined);
    return this.#pendingExtension;
  }

  #recordExtension(extension: GrantExtension): GrantExtension {
    this.#pendingExtension = null;
    this.#isExhausted = extension.fault !== null;
    this.#updateCovered();
    return extension;
  }

  /** How far the stream may go before anything must be asked for. */
  #updateCovered(): void {
    const left = -this.#overspendNanoUsd - this.#leadNanoUsd;
    this.#coveredTokens =
      this.#tokens + (this.#nanoUsdPerToken > 0 ? Math.floor(left / this.#nanoUsdPerToken) : Infinity);
  }

  /** Nano-USD that the stream has cost above what is reserved; below 0 while something is left. */
  get #overspendNanoUsd(): number {
    return this.#costNanoUsd(this.#tokens) - (this.#grant.reservedNanoUsd ?? 0);
  }

  /** Nano-USD that are reserved at a time. */
  get #stepNanoUsd(): number {
    return Math.max(MIN_STEP_TOKENS, this.#tokens * STEP_SHARE) * this.#nanoUsdPerToken;
  }

  get #leadNanoUsd(): number {
    return this.#isExhausted ? 0 : this.#stepNanoUsd / 2;
  }

  #costNanoUsd(output: number): number {
    const reported = removeImplausibleCounts(this.#usage);
    const units = { input: reported?.units.input || this.#inputTokens, output };
    return computeRunningCost(this.#x, mergeUsage(reported, { units })) ?? 0;
  }
}
