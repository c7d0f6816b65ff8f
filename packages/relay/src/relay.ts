import type { RelayConfig } from '@floe/contract/config';
import type { RelayEventKind } from '@floe/contract/config/relay';
import { compileRule, type Rule, RuleProblem } from './rules/rule.ts';
import { selfTamperRule } from './rules/self-tamper.ts';

/** What an org says about the relay, ready to decide. */
export interface Relay {
  readonly config: RelayConfig;
  /** In the order of the file; the built-in ones last. */
  readonly rules: readonly Rule[];
  /** Rules by the events they read; those about files read shell commands and prompts too. */
  readonly byEvent: ReadonlyMap<RelayEventKind, readonly Rule[]>;
}

const READ_TOO: Readonly<Record<RelayEventKind, readonly RelayEventKind[]>> = {
  shell: ['shell', 'file_read', 'file_write'],
  tool: ['tool'],
  prompt: ['prompt', 'file_read'],
  file_read: ['file_read'],
  file_write: ['file_write'],
};

/** @throws RuleProblem with the path of a rule's field */
export function compileRelay(config: RelayConfig): Relay {
  const builtIn = selfTamperRule(config);
  const rules = [...config.rules.map(ruleAt), ...(builtIn ? [compileRule(builtIn)] : [])];
  const byEvent = new Map<RelayEventKind, Rule[]>();
  for (const [event, others] of Object.entries(READ_TOO))
    if (isEvent(event))
      byEvent.set(
        event,
        rules.filter(({ events }) => others.some((other) => events.has(other))),
      );
  return { config, rules, byEvent };
}

function ruleAt(config: RelayConfig['rules'][number], at: number): Rule {
  try {
    return compileRule(config);
  } catch (error) {
    if (error instanceof RuleProblem) throw new RuleProblem(['rules', at, ...error.path], error.message);
    throw error;
  }
}

/** What is wrong with rules whose fields are valid one by one; null when nothing is. */
export function relayProblem(config: RelayConfig): RuleProblem | null {
  try {
    compileRelay(config);
    return null;
  } catch (error) {
    if (error instanceof RuleProblem) return error;
    throw error;
  }
}

function isEvent(text: string): text is RelayEventKind {
  return Object.hasOwn(READ_TOO, text);
}
