import type { Exchange } from '../exchange-record.ts';
import type { PendingPolicyEvaluation } from './response-policy-context.ts';

/** Makes the exchange wait for an evaluation in a policy thread. */
export function setPendingPolicyEvaluation(x: Exchange, { done, cancel }: PendingPolicyEvaluation): void {
  const cleared = done.finally(() => {
    if (x.policy.pending === pending) x.policy = { ...x.policy, pending: null };
  });
  const pending = { done: cleared, cancel };
  // An attempt that has failed does not wait any more.
  cleared.catch(() => undefined);
  x.policy = { ...x.policy, pending };
}

/** Cancels the evaluation of a response that will not be sent, so that another attempt can follow. */
export function cancelPendingPolicyEvaluation(x: Exchange): void {
  const { pending } = x.policy;
  if (pending === null) return;
  x.policy = { ...x.policy, pending: null };
  pending.cancel();
}

/**
 * Waits for the evaluation of a response without an attempt, such as a cached one.
 * @throws `client.interruption`, and the errors of the evaluation
 */
export async function awaitPendingPolicyEvaluation({ client, policy: { pending } }: Exchange): Promise<void> {
  if (pending === null) return;
  if (client.isInterrupted) pending.cancel();
  const leave = () => pending.cancel();
  client.onInterrupt = leave;
  try {
    await pending.done;
  } catch (error) {
    throw client.isInterrupted ? client.interruption : error;
  } finally {
    client.onInterrupt = null;
  }
}
