import type { CompiledPolicy, PolicySet } from './policies.ts';

/**
 * Returns the policies that can stop a stream early: those that detect data and do not read the complete
 * response. Null if none of them could deny the response.
 */
export function selectBlockingPolicies(policySet: PolicySet): PolicySet | null {
  const { policies } = policySet;
  const asks = ({ condition }: CompiledPolicy) =>
    [...(condition?.inputs ?? [])].some((need) => /^(?:answer|usage)\b/.test(need));
  // An `allow` whose condition is not known yet may exempt the response from later policies.
  const open = policies.findIndex((policy) => policy.action === 'allow' && policy.enforced && asks(policy));
  const before = open === -1 ? policies : policies.slice(0, open);
  const early = before.filter((policy) => policy.detects !== null && !asks(policy));
  if (!early.some(canBlockStream)) return null;
  const detects = new Set(early.flatMap((policy) => [...(policy.detects ?? [])]));
  return { ...policySet, policies: early, detects };
}

/** Returns whether a policy can stop a stream. A stream cannot be redacted, so `redact` stops it, too. */
export function canBlockStream({ action, enforced }: CompiledPolicy): boolean {
  return enforced && (action === 'deny' || action === 'redact');
}
