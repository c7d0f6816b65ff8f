import { hookParams, type RelayDecision } from '@floe/contract/api/relay';
import { Fault } from '@floe/contract/faults';
import { isJsonObject } from '@floe/contract/json';
import type { HookAdapter, HookDecision } from '@floe/relay/hooks/hook-adapter';
import {
  applyAskFallback,
  HOOK_ADAPTERS,
  selectStrictestHookDecision,
} from '@floe/relay/hooks/hook-adapters';
import * as z from 'zod';
import { toRelayReportRow } from '../../relay/relay-reports.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { type RelayDependencies, toRelayCaller } from './relay-dependencies.ts';

const hookPayloadSchema = z
  .record(z.string(), z.unknown())
  .describe('The payload that the agent sends to its hooks.');
const hookAnswerSchema = z
  .record(z.string(), z.unknown())
  .describe(
    'The response that the agent expects from its hooks, or `{exit_code, stderr}` if it does not expect JSON.',
  );

/**
 * Defines the operation that handles an agent's native hook. It accepts the agent's payload and
 * returns the response in the agent's format.
 */
export function defineHandleHookOperation({
  decisionEngine,
  orgRelays,
  rowSink,
}: RelayDependencies): Operation {
  return defineReadOperation({
    name: 'relay.hook',
    method: 'POST',
    path: '/relay/v1/hooks/{agent}',
    scope: 'relay',
    summary: 'Evaluate a hook call from an agent and respond in the agent’s format',
    params: hookParams,
    body: hookPayloadSchema,
    answer: hookAnswerSchema,
    async run({ actor, clock, orgId }, { params, body }) {
      const adapter = requireHookAdapter(params.agent);
      const asker = toRelayCaller(actor);
      const call = adapter.read(isJsonObject(body) ? body : {});
      if (call.report) rowSink.append(toRelayReportRow(asker, call.report, clock.now()));
      const outcomes: HookDecision[] = [];
      for (const event of call.events)
        outcomes.push(toHookOutcome(await decisionEngine.decide(asker, event)));
      const { ask_fallback } = orgRelays.get(orgId).relay.config;
      const outcome = applyAskFallback(adapter, call, selectStrictestHookDecision(outcomes), ask_fallback);
      const { stdout, stderr, exitCode } = adapter.reply(call, outcome);
      return exitCode === 0 ? { ...stdout } : { exit_code: exitCode, stderr };
    },
  });
}

/**
 * A pending approval of the console becomes a denial until it is given, because a hook cannot ask another
 * person.
 */
function toHookOutcome({ decision, approval, user_message, agent_message }: RelayDecision): HookDecision {
  return {
    decision: approval === null ? decision : 'deny',
    userMessage: user_message,
    agentMessage: agent_message,
  };
}

function requireHookAdapter(agent: string): HookAdapter {
  const adapter = HOOK_ADAPTERS.get(agent);
  if (adapter) return adapter;
  const known = [...HOOK_ADAPTERS.keys()].join(', ');
  throw new Fault(
    'not_found',
    `This agent is not supported. Supported agents: ${known}. Other agents can use /relay/v1/decisions.`,
  );
}
