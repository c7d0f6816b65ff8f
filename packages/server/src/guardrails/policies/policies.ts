import { type CompiledCondition, compileCondition } from '@floe/conditions/condition';
import type { FindingKind } from '@floe/conditions/detect/scan';
import type { PolicyConfig } from '@floe/contract/config';
import { CleanTextMemory } from './clean-text-memory.ts';
import { POLICY_VOCABULARY } from './variables.ts';

/** A rule on requests or answers, ready to be judged. */
export interface CompiledPolicy {
  readonly name: string;
  readonly on: 'request' | 'answer';
  readonly action: 'allow' | 'deny' | 'flag' | 'redact';
  /** False in monitor mode: it is recorded what the rule would do. */
  readonly enforced: boolean;
  /** Null when the rule applies whatever stands elsewhere. */
  readonly condition: CompiledCondition | null;
  /** What it looks for; null when it looks for nothing. */
  readonly detects: ReadonlySet<FindingKind> | null;
  /** Told to the caller on a denial. */
  readonly message: string | null;
}

/** The rules of one side in their order, and everything any of them reads. */
export interface PolicySet {
  readonly policies: readonly CompiledPolicy[];
  readonly needs: ReadonlySet<string>;
  readonly detects: ReadonlySet<FindingKind>;
  /** Texts in which none of `detects` was found. */
  readonly cleanTexts: CleanTextMemory;
}

/** The policies of an org. A side without any rule is null and costs nothing. */
export interface CompiledPolicies {
  readonly request: PolicySet | null;
  readonly answer: PolicySet | null;
}

/** Null for an org without policies. @throws Error for a condition that `findPolicyError` would have named */
export function compilePolicies(configs: readonly PolicyConfig[]): CompiledPolicies | null {
  if (configs.length === 0) return null;
  const policies = configs.map(compilePolicy);
  return { request: selectPolicies(policies, 'request'), answer: selectPolicies(policies, 'answer') };
}

/** What is wrong with the condition of a policy, completing the sentence "when: …"; null when nothing is. */
export function findPolicyError(config: PolicyConfig): string | null {
  try {
    compilePolicy(config);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function compilePolicy({ name, on, action, mode, message, when, detect }: PolicyConfig): CompiledPolicy {
  const condition = when === undefined ? null : compileCondition(when, POLICY_VOCABULARY);
  if (on === 'request')
    for (const need of condition?.inputs ?? [])
      if (/^(?:answer|usage)\b/.test(need))
        throw new Error(`"${need}" is not available when a request is evaluated; use on: answer`);
  const detects =
    detect && new Set<FindingKind>([...(detect.secrets ? (['secret'] as const) : []), ...detect.pii]);
  return {
    name,
    on,
    action,
    enforced: mode === 'enforce',
    condition,
    detects: detects ?? null,
    message: message ?? null,
  };
}

function selectPolicies(all: readonly CompiledPolicy[], side: CompiledPolicy['on']): PolicySet | null {
  const policies = all.filter(({ on }) => on === side);
  if (policies.length === 0) return null;
  return {
    policies,
    needs: new Set(policies.flatMap(({ condition }) => [...(condition?.inputs ?? [])])),
    detects: new Set(policies.flatMap(({ detects }) => [...(detects ?? [])])),
    cleanTexts: new CleanTextMemory(),
  };
}
