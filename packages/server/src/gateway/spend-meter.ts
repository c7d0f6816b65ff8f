import type { Fault } from '@floe/contract/faults';
import { mergeUsage, type Usage } from '@floe/wire/usage';
import type { Grant, GrantExtension } from '../guardrails/grant.ts';
import { estimateMaxContentTokens, estimateMaxInputTokens } from '../guardrails/token-estimate.ts';
import { removeImplausibleCounts } from './charged-usage.ts';
import type { Exchange } from './exchange-record.ts';
import { computeRunningCost } from './usage-and-cost.ts';

/**
 * Minimum extension of a reservation, in tokens. For longer outputs, the extension is a quarter of the output
 * so far.
 */
const MIN_STEP_TOKENS = 512;
const STEP_SHARE = 1 / 4;
/**
 * Number of tokens with which the price per token is measured. It is large, so that rounding does not matter, and so
 * small that the cost stays below the maximum cost of an exchange.
 */
const SAMPLE_TOKENS = 1_000;

/**
 * The result of a spend check: `go` to continue, a fault that ends the stream, or a promise that waits for
 * the shared store and resolves to null (continue) or to such a fault.
 */
export type SpendCheckResult = 'go' | Fault | Promise<Fault | null>;

/**
 * Creates the spend meter for a stream. Returns null if no hard budget applies or if the response is not
 * streamed.
 */
export function createSpendMeter(x: Exchange): SpendMeter | null {
  const { prompt, turn } = x.request;
  const grant = x.admission?.grant;
  if (!grant || grant.reservedNanoUsd === null || !prompt?.stream) return null;
  return new SpendMeter(x, grant, estimateMaxInputTokens(prompt.body, turn?.resolvedInput));
}

/**
 * Compares a stream's cost with its reservation in hard budgets after each read. Extends the
 * reservation before it is used up, so that the stream does not have to pause. Ends the stream when
 * the whole budget is used up. Overestimates the cost, so that at most one read exceeds the
 * reservation.
 */
export class SpendMeter {
  readonly #x: Exchange;
  readonly #grant: Grant;
  readonly #inputTokens: number;
  /** Nano-USD per output token. */
  readonly #nanoUsdPerToken: number;
  #tokens = 0;
  /** No extension is needed up to this number of tokens. */
  #coveredTokens = -1;
  #usage: Usage | null = null;
  /** The number of tokens when the response reported its finish. */
  #finishedTokens: number | null = null;
  #pendingExtension: Promise<GrantExtension> | null = null;
  /**
   * Whether less than the requested amount was available. The next extension is then requested only when it
   * is needed.
   */
  #isExhausted = false;

  constructor(x: Exchange, grant: Grant, inputTokens: number) {
    this.#x = x;
    this.#grant = grant;
    this.#inputTokens = inputTokens;
    this.#nanoUsdPerToken = (this.#costNanoUsd(SAMPLE_TOKENS) - this.#costNanoUsd(0)) / SAMPLE_TOKENS;
  }

  /**
   * Compares the cost with the reservation. Must be called after each read, when its bytes have been sent to
   * the client.
   */
  check(): SpendCheckResult {
    const { contentBytes, contentChunks, usage, finishReason } = this.#x.answer;
    const counted = estimateMaxContentTokens(contentBytes, contentChunks);
    if (counted === 0 || (counted <= this.#coveredTokens && usage === this.#usage)) return 'go';
    // A complete response is not ended. Only content after its finish counts.
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
    // The reservation still has some amount left, so the stream continues.
    return over > 0 ? this.#waitUntilCovered(asked) : 'go';
  }

  /** Waits until the reservation covers the cost of the stream, or no budget is left. */
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
    // Waiting callers receive the error. Others continue with their reservation.
    this.#pendingExtension.catch(() => undefined);
    return this.#pendingExtension;
  }

  #recordExtension(extension: GrantExtension): GrantExtension {
    this.#pendingExtension = null;
    this.#isExhausted = extension.fault !== null;
    this.#updateCovered();
    return extension;
  }

  /** Updates the number of tokens for which no extension is needed. */
  #updateCovered(): void {
    const left = -this.#overspendNanoUsd - this.#leadNanoUsd;
    this.#coveredTokens =
      this.#tokens + (this.#nanoUsdPerToken > 0 ? Math.floor(left / this.#nanoUsdPerToken) : Infinity);
  }

  /**
   * The amount in nano-USD by which the cost exceeds the reservation. Negative while part of the reservation
   * is left.
   */
  get #overspendNanoUsd(): number {
    return this.#costNanoUsd(this.#tokens) - (this.#grant.reservedNanoUsd ?? 0);
  }

  /** The amount in nano-USD of one extension. */
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
