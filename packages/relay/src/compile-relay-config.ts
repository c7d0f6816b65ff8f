import { MAX_ORG_COMPILATION_STEPS } from '@floe/conditions/condition';
import type { RelayConfig, RelayRuleConfig } from '@floe/contract/config';
import type { RelayEventKind } from '@floe/contract/config/relay';
import { countRuleCompilationSteps, createCompilationCostError } from './compilation-cost.ts';
import { type CompiledRule, compileRule } from './rules/compile-rule.ts';
import { InvalidRelayRuleError } from './rules/compile-rule-field.ts';
import { createSelfTamperRule } from './rules/self-tamper.ts';

/** An organization's relay configuration, prepared for evaluation. */
export interface CompiledRelayConfig {
  readonly config: RelayConfig;
  /** Rules in file order, then the built-in rules. */
  readonly rules: readonly CompiledRule[];
  /** The rules to evaluate for each kind of event. Rules on files also apply to shell commands and prompts. */
  readonly byEvent: ReadonlyMap<RelayEventKind, readonly CompiledRule[]>;
}

const RULE_EVENTS_BY_EVENT: Readonly<Record<RelayEventKind, readonly RelayEventKind[]>> = {
  shell: ['shell', 'file_read', 'file_write'],
  tool: ['tool'],
  prompt: ['prompt', 'file_read'],
  file_read: ['file_read'],
  file_write: ['file_write'],
};

/**
 * Prepares an organization's relay configuration for evaluation.
 * @throws InvalidRelayRuleError with the path of the invalid field
 */
export function compileRelayConfig(config: RelayConfig): CompiledRelayConfig {
  return combineRules(
    config,
    config.rules.map((_, at) => compileRuleAt(config, at)),
  );
}

/** A rule that this release cannot compile, and why. */
export interface UnusableRelayRule {
  readonly rule: string;
  readonly error: InvalidRelayRuleError;
}

/**
 * Like `compileRelayConfig`, but one rule does not disable the others if this release cannot compile it, for example
 * because another release with other limits stored it. Without the fields that can be invalid, such a rule matches at
 * least the same events. It then asks, or has no effect if its decision is `allow`.
 */
export function compileUsableRelayConfig(
  config: RelayConfig,
): CompiledRelayConfig & { readonly unusable: readonly UnusableRelayRule[] } {
  const unusable: UnusableRelayRule[] = [];
  const rules = config.rules.flatMap((rule, at) => {
    try {
      return [compileRuleAt(config, at)];
    } catch (error) {
      if (!(error instanceof InvalidRelayRuleError)) throw error;
      unusable.push({ rule: rule.name, error });
      return rule.decision === 'allow' ? [] : [compileRule(createAskingRule(rule))];
    }
  });
  return { ...combineRules(config, rules), unusable };
}

function createAskingRule({ schedule: _, when: __, match, ...rule }: RelayRuleConfig): RelayRuleConfig {
  const { text: ___, ...shape } = match ?? {};
  return {
    ...rule,
    ...(match && { match: shape }),
    except: [],
    decision: 'ask',
  };
}

function combineRules(config: RelayConfig, own: readonly CompiledRule[]): CompiledRelayConfig {
  const builtIn = createSelfTamperRule(config);
  const rules = [...own, ...(builtIn ? [compileRule(builtIn)] : [])];
  const byEvent = new Map<RelayEventKind, CompiledRule[]>();
  for (const [event, others] of Object.entries(RULE_EVENTS_BY_EVENT))
    if (isRelayEventKind(event))
      byEvent.set(
        event,
        rules.filter(({ events }) => others.some((other) => events.has(other))),
      );
  return { config, rules, byEvent };
}

function compileRuleAt({ rules }: RelayConfig, at: number): CompiledRule {
  const rule = rules[at];
  if (rule === undefined) throw new Error(`there is no rule ${at}`);
  try {
    return compileRule(rule);
  } catch (error) {
    if (error instanceof InvalidRelayRuleError)
      throw new InvalidRelayRuleError(['rules', at, ...error.path], error.message);
    throw error;
  }
}

/**
 * Returns the first error that the floe.yaml schema cannot detect, or null if there is none. Stops at the
 * first rule that pushes the total compilation cost over the limit.
 */
export function findRelayRuleError(config: RelayConfig): InvalidRelayRuleError | null {
  try {
    let steps = 0;
    for (const [at, rule] of config.rules.entries()) {
      compileRuleAt(config, at);
      steps += countRuleCompilationSteps(rule);
      if (steps > MAX_ORG_COMPILATION_STEPS) return createCompilationCostError(['rules', at]);
    }
    compileRelayConfig(config);
    return null;
  } catch (error) {
    if (error instanceof InvalidRelayRuleError) return error;
    throw error;
  }
}

function isRelayEventKind(text: string): text is RelayEventKind {
  return Object.hasOwn(RULE_EVENTS_BY_EVENT, text);
}
