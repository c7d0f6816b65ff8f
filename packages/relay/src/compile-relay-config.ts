import type { RelayConfig } from '@floe/contract/config';
import type { RelayEventKind } from '@floe/contract/config/relay';
import { type CompiledRule, compileRule, InvalidRelayRuleError } from './rules/compile-rule.ts';
import { createSelfTamperRule } from './rules/self-tamper.ts';

/** An organization's relay configuration, prepared for evaluation. */
export interface CompiledRelayConfig {
  readonly config: RelayConfig;
  /** Rules in file order, then the built-in rules. */
  readonly rules: readonly CompiledRule[];
  /** Rules by the events that they match. Rules on files also match shell commands and prompts. */
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
  const builtIn = createSelfTamperRule(config);
  const rules = [...config.rules.map(compileRuleAt), ...(builtIn ? [compileRule(builtIn)] : [])];
  const byEvent = new Map<RelayEventKind, CompiledRule[]>();
  for (const [event, others] of Object.entries(RULE_EVENTS_BY_EVENT))
    if (isRelayEventKind(event))
      byEvent.set(
        event,
        rules.filter(({ events }) => others.some((other) => events.has(other))),
      );
  return { config, rules, byEvent };
}

function compileRuleAt(config: RelayConfig['rules'][number], at: number): CompiledRule {
  try {
    return compileRule(config);
  } catch (error) {
    if (error instanceof InvalidRelayRuleError)
      throw new InvalidRelayRuleError(['rules', at, ...error.path], error.message);
    throw error;
  }
}

/** Returns the first error that the floe.yaml schema cannot detect, or null if there is none. */
export function findRelayRuleError(config: RelayConfig): InvalidRelayRuleError | null {
  try {
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
