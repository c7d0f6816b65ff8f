import { hookParams, type RelayDecision, type RelayEvent, relayEvent } from '@floe/contract/api/relay';
import { Fault } from '@floe/contract/faults';
import { isJsonObject } from '@floe/contract/json';
import {
  exceedsHookLimits,
  HOOK_LIMITS_TEXT,
  type HookAdapter,
  type HookDecision,
  shouldDenyCallsOverHookLimits,
} from '@floe/relay/hooks/hook-adapter';
import {
  applyAskFallback,
  HOOK_ADAPTERS,
  selectStrictestHookDecision,
} from '@floe/relay/hooks/hook-adapters';
import * as z from 'zod';
import { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { toRelayReportRow } from '../../relay/relay-reports.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { validateInput } from '../validate-input.ts';
import { type RelayDependencies, toRelayCaller } from './relay-dependencies.ts';

const hookPayloadSchema = z
  .record(z.string(), z.unknown())
  .describe('The payload that the agent sends to its hooks.');
const hookAnswerSchema = z
  .record(z.string(), z.unknown())
  .describe(
    'The response that the agent expects from its hooks, or `{exit_code, stderr}` if the agent does not expect JSON.',
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
    // Agents continue after a rejection, and a model chooses the arguments of a tool call.
    cutsDeepValues: true,
    summary: 'Evaluate a hook call from an agent and respond in the agent’s format',
    params: hookParams,
    body: hookPayloadSchema,
    answer: hookAnswerSchema,
    async run({ actor, clock, orgId }, { params, body }) {
      const adapter = requireHookAdapter(params.agent);
      const asker = toRelayCaller(actor);
      const call = adapter.read(isJsonObject(body) ? body : {});
      if (call.name === '')
        throw new Fault(
          'invalid_request',
          `The payload does not contain the name of a hook event. Send the payload that ${params.agent} passes to its hooks.`,
        );
      const { relay } = orgRelays.get(orgId);
      const { ask_fallback, keep_text } = relay.config;
      if (call.report) rowSink.append(toRelayReportRow(asker, call.report, clock.now(), keep_text));
      const outcomes: HookDecision[] = [];
      const yielder = new EventLoopYielder();
      const deniesOverLimits = shouldDenyCallsOverHookLimits(relay);
      const isTooLong = exceedsHookLimits(call.events);
      if (isTooLong && deniesOverLimits) outcomes.push(createLimitDenial(call.events));
      for (const event of isTooLong ? [] : call.events) {
        const valid = parseEvent(event, deniesOverLimits);
        outcomes.push(
          valid ? toHookOutcome(await decisionEngine.decide(asker, valid)) : createLimitDenial(call.events),
        );
        if (outcomes.at(-1)?.decision === 'deny') break;
        await yielder.endStep();
      }
      const outcome = applyAskFallback(adapter, call, selectStrictestHookDecision(outcomes), ask_fallback);
      const { stdout, stderr, exitCode } = adapter.reply(call, outcome);
      return exitCode === 0 ? { ...stdout } : { exit_code: exitCode, stderr };
    },
  });
}

/**
 * Validates an event. Returns null for an invalid event if rules deny or ask (`denies`), because agents continue after a
 * rejection.
 * @throws Fault `invalid_request` or `request_too_large` if no rule denies or asks
 */
function parseEvent(event: RelayEvent, denies: boolean): RelayEvent | null {
  try {
    return validateInput(relayEvent, event);
  } catch (error) {
    if (denies && error instanceof Fault) return null;
    throw error;
  }
}

function createLimitDenial(events: readonly RelayEvent[]): HookDecision {
  const fileCount = events.filter(({ file }) => file !== undefined).length;
  const size = fileCount === 0 ? '' : ` Number of affected files: ${fileCount}.`;
  const message = `This action is denied because it is too large.${size} Floe can evaluate at most ${HOOK_LIMITS_TEXT}.`;
  return {
    decision: 'deny',
    userMessage: message,
    agentMessage: `${message} Split the action into several smaller actions.`,
  };
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
