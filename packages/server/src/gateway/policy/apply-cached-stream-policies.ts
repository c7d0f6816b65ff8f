import type { Usage } from '@floe/wire/usage';
import type { Exchange } from '../exchange-record.ts';
import { awaitPendingPolicyEvaluation, setPendingPolicyEvaluation } from './pending-evaluation.ts';
import { StreamPolicyFilter } from './stream-policy-filter.ts';

/**
 * Applies the response policies to a cached stream and returns the resulting bytes.
 * @throws Fault `policy_denied` before anything is sent
 */
export async function applyPoliciesToCachedStream(
  x: Exchange,
  text: Buffer | string,
  usage: Usage | null,
): Promise<Buffer | string> {
  if (x.policy.answerContext === null) return text;
  const filter = new StreamPolicyFilter(x, x.policy.answerContext, usage);
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const parts = [filter.filter(bytes), filter.end()];
  if (filter.pending) {
    const done = filter.pending.then(() => true);
    setPendingPolicyEvaluation(x, { done, cancel: () => filter.cancel() });
    await awaitPendingPolicyEvaluation(x);
    parts.push(filter.take());
  }
  if (filter.fault) throw filter.fault;
  return Buffer.concat(parts);
}
