import type { CompiledPolicy, PolicySet } from './policies.ts';

/**
 * Returns the policies that are evaluated when a stream contains a finding: those that do not read the complete
 * response. Null if no finding could stop the stream.
 */
export function selectEarlyStreamPolicies(policySet: PolicySet): PolicySet | null {
  const { policies } = policySet;
  const asks = ({ condition }: CompiledPolicy) =>
    [...(condition?.inputs ?? [])].some((need) => /^(?:answer|usage)\b/.test(need));
  // An `allow` whose condition is not known yet may exempt the response from later policies.
  const open = policies.findIndex((policy) => policy.action === 'allow' && policy.enforced && asks(policy));
  const before = open === -1 ? policies : policies.slice(0, open);
  const early = before.filter((policy) => !asks(policy));
  if (!early.some((policy) => policy.detects !== null && canBlockStream(policy))) return null;
  const detects = new Set(early.flatMap((policy) => [...(policy.detects ?? [])]));
  return { ...policySet, policies: early, detects };
}

/** Returns whether a policy can stop a stream. A stream cannot be redacted, so `redact` stops it, too. */
export function canBlockStream({ action, enforced }: CompiledPolicy): boolean {
  return enforced && (action === 'deny' || action === 'redact');
}
