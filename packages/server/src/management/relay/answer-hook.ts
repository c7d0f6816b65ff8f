import { hookParams, type RelayDecision } from '@floe/contract/api/relay';
import { Fault } from '@floe/contract/faults';
import { isObject } from '@floe/contract/json';
import type { HookAdapter, Outcome } from '@floe/relay/hooks/adapter';
import { askable, HOOK_ADAPTERS, strictestOutcome } from '@floe/relay/hooks/adapters';
import * as z from 'zod';
import { reportRow } from '../../relay/reports.ts';
import { readVerb, type Verb } from '../verb.ts';
import { askerOf, type RelayHost } from './relay-host.ts';

const nativePayload = z.record(z.string(), z.unknown()).describe('What the agent gives its hooks.');
const nativeAnswer = z
  .record(z.string(), z.unknown())
  .describe('What the agent expects of its hooks; `{exit_code, stderr}` where it expects no JSON.');

/** An agent's own hook: its payload in, its answer out. */
export function answerHook({ decisions, relays, rows }: RelayHost): Verb {
  return readVerb({
    name: 'relay.hook',
    method: 'POST',
    path: '/relay/v1/hooks/{agent}',
    scope: 'relay',
    summary: 'Answer a hook of an agent in the agent’s own words',
    params: hookParams,
    body: nativePayload,
    answer: nativeAnswer,
    async run({ actor, clock, orgId }, { params, body }) {
      const adapter = adapterOf(params.agent);
      const asker = askerOf(actor);
      const call = adapter.read(isObject(body) ? body : {});
      if (call.report) rows.append(reportRow(asker, call.report, clock.now()));
      const outcomes: Outcome[] = [];
      for (const event of call.events) outcomes.push(outcomeOf(await decisions.decide(asker, event)));
      const { ask_fallback } = relays.of(orgId).relay.config;
      const outcome = askable(adapter, call, strictestOutcome(outcomes), ask_fallback);
      const { stdout, stderr, exitCode } = adapter.reply(call, outcome);
      return exitCode === 0 ? { ...stdout } : { exit_code: exitCode, stderr };
    },
  });
}

/** What waits for somebody in the console is refused until then: nobody else may agree to it. */
function outcomeOf({ decision, approval, user_message, agent_message }: RelayDecision): Outcome {
  return {
    decision: approval === null ? decision : 'deny',
    userMessage: user_message,
    agentMessage: agent_message,
  };
}

function adapterOf(agent: string): HookAdapter {
  const adapter = HOOK_ADAPTERS.get(agent);
  if (adapter) return adapter;
  const known = [...HOOK_ADAPTERS.keys()].join(', ');
  throw new Fault(
    'not_found',
    `No agent has this name here; known are ${known}. Others use /relay/v1/decisions.`,
  );
}
