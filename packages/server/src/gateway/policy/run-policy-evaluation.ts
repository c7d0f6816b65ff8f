import type { PolicyTaskContext } from '../../guardrails/policies/policy-threads.ts';
import type { Exchange } from '../exchange-record.ts';

/**
 * Runs an evaluation in a policy thread and waits for its result. Must not be called during an attempt.
 * Cancels the evaluation if the client disconnects or the exchange is interrupted.
 * @throws `client.interruption`, and the errors of `evaluate`
 */
export async function runPolicyEvaluation<Result>(
  { client, caller }: Pick<Exchange, 'client' | 'caller'>,
  evaluate: (caller: PolicyTaskContext) => Promise<Result>,
): Promise<Result> {
  if (client.isInterrupted) throw client.interruption;
  const controller = new AbortController();
  const leave = () => controller.abort();
  client.onInterrupt = leave;
  try {
    return await evaluate({ orgId: caller.key.orgId, signal: controller.signal });
  } catch (error) {
    throw client.isInterrupted ? client.interruption : error;
  } finally {
    client.onInterrupt = null;
  }
}
