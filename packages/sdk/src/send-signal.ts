import { createSignalRequest, type RunSignal, type RunSignalDetail } from './beat-request.ts';
import { FloeConfigurationError } from './errors.ts';
import { createRuntime } from './runtime.ts';
import {
  type HeartbeatResult,
  sendWithRetries,
  toFailedResult,
  toUnexpectedFailure,
} from './send-with-retries.ts';

export interface SignalOptions extends RunSignalDetail {
  /** How long one attempt may take, in seconds; 5 unless given. */
  readonly timeoutSeconds?: number;
  /** How long all attempts may take, in seconds; 20 unless given. */
  readonly budgetSeconds?: number;
}

/**
 * Tells a monitor's secret URL that a run starts, ended well or badly. Needs no key and no client. Resolves to what
 * became of it and never rejects.
 *
 * @example
 * const result = await sendSignal(beatUrl, 'fail', { runId: crypto.randomUUID(), metadata: 'disk full' });
 * result.ok; // true
 */
export async function sendSignal(
  beatUrl: string,
  signal: RunSignal,
  options: SignalOptions,
): Promise<HeartbeatResult> {
  const error = validateBeatUrl(beatUrl);
  if (error) return toFailedResult(error, 0);
  const { timeoutSeconds = 5, budgetSeconds = 20 } = options;
  try {
    const limits = { timeoutSeconds, budgetSeconds, keepsAlive: true };
    return await sendWithRetries(createSignalRequest(beatUrl, signal, options), limits, createRuntime());
  } catch (error) {
    return toUnexpectedFailure(error);
  }
}

/** Why this cannot be a beat URL, without repeating it: it is a secret. */
export function validateBeatUrl(beatUrl: unknown): FloeConfigurationError | null {
  if (typeof beatUrl === 'string' && /^https?:\/\/[^/\s]+\/[^\s?#]+$/i.test(beatUrl)) return null;
  return new FloeConfigurationError(
    'the beat URL must be the http or https URL that Floe shows for the monitor',
  );
}
