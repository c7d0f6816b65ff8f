import { createRunEventRequest, type RunEvent, type RunEventDetail } from './beat-request.ts';
import { FloeInvalidArgumentError } from './errors.ts';
import { createRuntime } from './runtime.ts';
import {
  type HeartbeatResult,
  sendWithRetries,
  toFailedHeartbeatResult,
  toUnexpectedErrorResult,
} from './send-with-retries.ts';

/** The options of `sendRunEvent`. */
export interface RunEventOptions extends RunEventDetail {
  /** Timeout of one attempt in seconds. Default: 5. */
  readonly timeoutSeconds?: number;
  /** Timeout of all attempts together in seconds. Default: 20. */
  readonly budgetSeconds?: number;
}

/**
 * Reports the start, success or failure of a run to a monitor's secret URL. Needs neither a key nor a client.
 * Resolves to the result and never rejects.
 *
 * @example
 * const result = await sendRunEvent(beatUrl, 'fail', { runId: crypto.randomUUID(), metadata: 'disk full' });
 * result.ok; // true
 */
export async function sendRunEvent(
  beatUrl: string,
  signal: RunEvent,
  options: RunEventOptions,
): Promise<HeartbeatResult> {
  const error = validateBeatUrl(beatUrl);
  if (error) return toFailedHeartbeatResult(error, 0);
  const { timeoutSeconds = 5, budgetSeconds = 20 } = options;
  try {
    const limits = { timeoutSeconds, budgetSeconds, keepsAlive: true };
    return await sendWithRetries(createRunEventRequest(beatUrl, signal, options), limits, createRuntime());
  } catch (error) {
    return toUnexpectedErrorResult(error);
  }
}

/**
 * Returns an error if the value cannot be a beat URL; null otherwise. The message does not contain
 * the URL, because it is a secret.
 */
export function validateBeatUrl(beatUrl: unknown): FloeInvalidArgumentError | null {
  if (typeof beatUrl === 'string' && /^https?:\/\/[^/\s]+\/[^\s?#]+$/i.test(beatUrl)) return null;
  return new FloeInvalidArgumentError(
    'the beat URL must be the http or https URL that Floe shows for the monitor',
  );
}
