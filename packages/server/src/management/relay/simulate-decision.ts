import { relaySimulationInput, relaySimulationResult } from '@floe/contract/api/relay-management';
import type { RelayConfig } from '@floe/contract/config';
import { MEMBER_ROLES } from '@floe/contract/roles';
import type { CompiledRelayConfig } from '@floe/relay/compile-relay-config';
import type { EvaluationPool } from '../evaluation/evaluation-pool.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import type { RelayDependencies } from './relay-dependencies.ts';

/**
 * Defines the operation that evaluates the current rules or draft rules on a hypothetical event.
 * Stores nothing.
 */
export function defineSimulateDecisionOperation(
  { orgRelays }: Pick<RelayDependencies, 'orgRelays'>,
  evaluationPool: Pick<EvaluationPool, 'run'>,
): Operation {
  return defineReadOperation({
    name: 'relay.simulate',
    method: 'POST',
    path: '/api/management/relay/simulate',
    scope: 'management',
    // A member who may read the rules may also evaluate them.
    roles: MEMBER_ROLES,
    summary: 'Simulate a relay decision: how the command is parsed and what each rule decides',
    body: relaySimulationInput,
    answer: relaySimulationResult,
    async run({ orgId, clock }, { body }) {
      const { event, key, team, owner, at } = body;
      const config = applyRelayDraft(orgRelays.get(orgId).relay, body);
      const nowMs = at === undefined ? clock.now() : Date.parse(at);
      return evaluationPool.run(orgId, 'simulateEvent', {
        config,
        areInUse: body.rules === undefined,
        event,
        identity: { key, team, owner },
        nowMs,
      });
    },
  });
}

interface RelayDraft {
  readonly rules?: RelayConfig['rules'] | undefined;
  readonly mode?: RelayConfig['mode'] | undefined;
}

/**
 * Returns an organization's running relay configuration with the draft applied. The result is not
 * validated.
 */
export function applyRelayDraft(
  { config }: Pick<CompiledRelayConfig, 'config'>,
  { rules, mode }: RelayDraft,
): RelayConfig {
  return { ...config, rules: rules ?? config.rules, mode: mode ?? config.mode };
}
