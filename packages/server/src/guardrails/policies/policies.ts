import {
  type CompiledCondition,
  compileCondition,
  MAX_ORG_COMPILATION_STEPS,
} from '@floe/conditions/condition';
import type { FindingKind } from '@floe/conditions/detect/sensitive-data-scan';
import type { PolicyConfig } from '@floe/contract/config';
import { CleanTextCache } from './clean-text-cache.ts';
import { POLICY_VOCABULARY } from './policy-variables.ts';

/** A policy prepared for evaluation. */
export interface CompiledPolicy {
  readonly name: string;
  readonly on: 'request' | 'answer';
  readonly action: 'allow' | 'deny' | 'flag' | 'redact';
  /** False in monitor mode, in which the effect of the policy is only recorded. */
  readonly enforced: boolean;
  /** Null if the policy has no condition. */
  readonly condition: CompiledCondition | null;
  /** The kinds of sensitive data that the policy detects; null if it detects none. */
  readonly detects: ReadonlySet<FindingKind> | null;
  /** Returned to the caller of a denied request. */
  readonly message: string | null;
}

/** The request policies or the response policies, in order, and the data that their evaluation needs. */
export interface PolicySet {
  readonly policies: readonly CompiledPolicy[];
  readonly needs: ReadonlySet<string>;
  readonly detects: ReadonlySet<FindingKind>;
  /** Texts without any finding of `detects`. */
  readonly cleanTexts: CleanTextCache;
  /** The data from which a worker thread compiles the same policies in the same order. */
  readonly source: PolicySetConfig;
}

/** The configuration of a policy set. */
export interface PolicySetConfig {
  /** Unique in this process, so that a thread compiles each set once. */
  readonly id: number;
  readonly on: CompiledPolicy['on'];
  readonly configs: readonly PolicyConfig[];
  readonly orgId: string;
}

let sources = 0;

/**
 * An organization's policies, prepared for evaluation. `request` is null if no policy applies to requests.
 * `answer` is null if no policy applies to responses.
 */
export interface CompiledPolicies {
  readonly request: PolicySet | null;
  readonly answer: PolicySet | null;
}

/**
 * Prepares an organization's policies for evaluation. Returns null if it has none.
 * @param orgId the organization whose share of the cache of clean texts the policies use
 * @throws Error for a condition that `findPolicyError` would report
 */
export function compilePolicies(configs: readonly PolicyConfig[], orgId = ''): CompiledPolicies | null {
  if (configs.length === 0) return null;
  const policies = configs.map(compilePolicy);
  return {
    request: selectPolicies(policies, { on: 'request', configs, orgId }),
    answer: selectPolicies(policies, { on: 'answer', configs, orgId }),
  };
}

/**
 * Compiles the conditions of policies one after the other, so that `compilePolicies` finds them compiled. Calls
 * `endStep` after each one, because parsing a long condition takes milliseconds. Ignores invalid conditions.
 */
export async function precompilePolicyConditions(
  configs: readonly PolicyConfig[],
  endStep: () => Promise<void>,
): Promise<void> {
  for (const config of configs) {
    findPolicyError(config);
    await endStep();
  }
}

/**
 * Returns what is wrong with a policy's condition, worded to follow "when: "; null if the condition
 * is valid.
 */
export function findPolicyError(config: PolicyConfig): string | null {
  try {
    compilePolicy(config);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The message for a policy that makes the conditions of an organization too expensive to compile. */
export const COMPILATION_COST_MESSAGE = `the regular expressions of all policies of the organization need more than ${MAX_ORG_COMPILATION_STEPS.toLocaleString('en-US')} steps to compile; use fewer or shorter regular expressions`;

/**
 * Returns the number of steps that compiling a condition takes, or 0 if it is invalid. `findPolicyError` reports an
 * invalid condition.
 */
export function countConditionCompilationSteps(when: string): number {
  try {
    return compileCondition(when, POLICY_VOCABULARY).compilationSteps;
  } catch {
    return 0;
  }
}

/** Returns whether conditions are too expensive to compile together. Ignores invalid ones. */
export function exceedsMaxCompilationSteps(conditions: Iterable<string>): boolean {
  let steps = 0;
  for (const when of conditions) {
    steps += countConditionCompilationSteps(when);
    if (steps > MAX_ORG_COMPILATION_STEPS) return true;
  }
  return false;
}

/** The cache of compiled policies. It never becomes outdated, because a changed policy is a new object. */
const compiledPolicies = new WeakMap<PolicyConfig, CompiledPolicy>();

/** Compiles each object only once, because a condition can take 30 ms. */
function compilePolicy(config: PolicyConfig): CompiledPolicy {
  const compiled = compiledPolicies.get(config) ?? compileUncached(config);
  compiledPolicies.set(config, compiled);
  return compiled;
}

function compileUncached({ name, on, action, mode, message, when, detect }: PolicyConfig): CompiledPolicy {
  const condition = when === undefined ? null : compileCondition(when, POLICY_VOCABULARY);
  if (on === 'request')
    for (const need of condition?.inputs ?? [])
      if (/^(?:answer|usage)\b/.test(need))
        throw new Error(
          `"${need}" is not available in a policy that evaluates requests. To evaluate responses, set "on: answer".`,
        );
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

function selectPolicies(
  all: readonly CompiledPolicy[],
  { on: side, configs, orgId }: Omit<PolicySetConfig, 'id'>,
): PolicySet | null {
  const policies = all.filter(({ on }) => on === side);
  if (policies.length === 0) return null;
  return {
    policies,
    needs: new Set(policies.flatMap(({ condition }) => [...(condition?.inputs ?? [])])),
    detects: new Set(policies.flatMap(({ detects }) => [...(detects ?? [])])),
    cleanTexts: new CleanTextCache(orgId),
    source: { id: sources++, on: side, configs: configs.filter(({ on }) => on === side), orgId },
  };
}
