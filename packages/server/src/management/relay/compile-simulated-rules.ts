import type { RelayConfig } from '@floe/contract/config';
import {
  type CompiledRelayConfig,
  compileRelayConfig,
  compileUsableRelayConfig,
} from '@floe/relay/compile-relay-config';
import { convertRuleErrorsToFaults } from './convert-rule-errors-to-faults.ts';

/** The rules of a simulation or a replay. */
export interface SimulatedRules {
  readonly config: RelayConfig;
  /** Whether the rules are those in use and not a draft. */
  readonly areInUse: boolean;
}

/**
 * Compiles a draft strictly. Compiles rules in use as the relay does, which asks if a rule cannot be compiled.
 * @throws Fault `invalid_request` that names the invalid field of a rule in a draft
 */
export function compileSimulatedRules({ config, areInUse }: SimulatedRules): CompiledRelayConfig {
  return areInUse
    ? compileUsableRelayConfig(config)
    : convertRuleErrorsToFaults(() => compileRelayConfig(config));
}
