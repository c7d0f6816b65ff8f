import { ScanLimitExceededError, ScanMeter } from '@floe/conditions/detect/scan-meter';

/**
 * How much work a policy evaluation may do on the main thread. A larger evaluation runs in a worker thread,
 * so that it does not delay other requests. Each limit allows less than 4 ms of work on the machine that
 * decision 0158 describes.
 */
export interface InlineLimits {
  /** Maximum size of a body. Reading and hashing it take about 1 ms per MB. */
  readonly bodyBytes: number;
  /** Limits the characters that are scanned. Strings that are known to be clean do not count. */
  readonly scanMeter: ScanMeter;
  /** Maximum size of a body that is parsed for conditions or for the location of a finding. */
  readonly parsedBytes: number;
  /** Maximum number of steps of all conditions. See `StepMeter`. */
  readonly steps: number;
}

const MAX_INLINE_BODY_BYTES = 1024 * 1024;
const MAX_INLINE_PARSED_BYTES = 256 * 1024;
const MAX_INLINE_STEPS = 20_000;
/** Maximum number of characters that an evaluation scans on the main thread. */
export const MAX_INLINE_SCANNED_CHARS = 32 * 1024;

/**
 * Thrown if an evaluation exceeds a limit of the main thread. Callers must then run the evaluation in a
 * worker thread.
 */
export class InlineLimitExceededError extends Error {
  override readonly name = 'InlineLimitExceededError';
}

/**
 * Requires that a body is small enough to be parsed on the main thread.
 * @throws InlineLimitExceededError if there are limits and the body is too large
 */
export function requireWithinInlineParseLimit(bytes: number, limits: InlineLimits | null): void {
  if (limits !== null && bytes > limits.parsedBytes)
    throw new InlineLimitExceededError(
      `The body is larger than ${limits.parsedBytes.toLocaleString('en-US')} bytes, the maximum for policy evaluation on the main thread. Evaluate the policies in a worker thread.`,
    );
}

/**
 * Requires that a body is small enough to be read as text on the main thread.
 * @throws InlineLimitExceededError if there are limits and the body is too large
 */
export function requireWithinInlineReadLimit(bytes: number, limits: InlineLimits | null): void {
  if (limits !== null && bytes > limits.bodyBytes)
    throw new InlineLimitExceededError(
      `The body is larger than ${limits.bodyBytes.toLocaleString('en-US')} bytes, the maximum for policy evaluation on the main thread. Evaluate the policies in a worker thread.`,
    );
}

/** Creates the limits of one evaluation. */
export function createInlineLimits(): InlineLimits {
  return {
    bodyBytes: MAX_INLINE_BODY_BYTES,
    scanMeter: new ScanMeter(MAX_INLINE_SCANNED_CHARS),
    parsedBytes: MAX_INLINE_PARSED_BYTES,
    steps: MAX_INLINE_STEPS,
  };
}

/**
 * Runs an evaluation on the main thread. Returns null if the evaluation exceeds a limit of the main thread. The
 * evaluation has then changed nothing, and must run in a worker thread.
 * @param limits by default, the evaluation has its own limits
 */
export function tryEvaluateInline<Result>(
  evaluate: (limits: InlineLimits) => Result,
  limits = createInlineLimits(),
): Result | null {
  try {
    return evaluate(limits);
  } catch (error) {
    if (error instanceof InlineLimitExceededError || error instanceof ScanLimitExceededError) return null;
    throw error;
  }
}
