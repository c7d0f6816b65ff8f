import { Fault } from '@floe/contract/faults';
import { isJsonObject } from '@floe/contract/json';
import { findUsage } from '@floe/wire/find-usage';
import { recordResponseContentSize } from './charged-usage.ts';
import { COMPLETE_RESULT, type Exchange, type ExchangeResult } from './exchange-record.ts';
import { parseAndRoutePrompt } from './generation-operation.ts';
import type { GatewayOperation, RoutedPrompt } from './operation.ts';
import { planSubpathAttempt } from './plan-subpath-attempt.ts';
import { applyPoliciesAndSendJson } from './policy/apply-response-policies.ts';
import { sendToTargets } from './send-to-targets.ts';
import { RESPONSES_SURFACE } from './surface.ts';
import { parseUpstreamJson } from './upstream-json.ts';

/** The operation `responses/compact`. The provider shortens a conversation that is too long for the model. */
export const COMPACT_OPERATION: GatewayOperation = {
  surface: RESPONSES_SURFACE,
  async parse(x) {
    const routed = await parseAndRoutePrompt(x);
    return { route: routed.route, send: () => compactConversation(x, routed) };
  },
};

/**
 * Only the target that compacted a conversation can read the result. Therefore only the first target is used,
 * which receives the later requests.
 */
async function compactConversation(x: Exchange, { prompt, route }: RoutedPrompt): Promise<ExchangeResult> {
  const [first] = route.targets;
  if (!first?.provider.supportsDialect('responses', first.model))
    throw new Fault(
      'unsupported_parameter',
      `The first target of the model "${prompt.model.slice(0, 200)}" does not support responses/compact. Use a model whose provider supports the Responses API, or shorten the conversation in the client.`,
      { param: 'model' },
    );
  await sendToTargets(x, { ...route, targets: [first] }, (target) =>
    planSubpathAttempt(x, x.request.turn?.requestFor(target) ?? prompt, target, {
      suffix: '/compact',
      send: (bytes) => sendCompaction(x, bytes),
    }),
  );
  return COMPLETE_RESULT;
}

function sendCompaction(x: Exchange, bytes: Buffer): void {
  const compaction = parseUpstreamJson(bytes);
  if (!isJsonObject(compaction) || !Array.isArray(compaction['output']))
    throw new Fault(
      'upstream_error',
      'The provider sent a compaction without output. Send the request again.',
      {
        upstreamBody: bytes.toString('utf8', 0, 2000),
      },
    );
  x.answer.setUsage(findUsage(compaction) ?? null);
  recordResponseContentSize(x, bytes);
  applyPoliciesAndSendJson(x, bytes);
}
