import { estimateTokens } from '@floe/wire/token-estimate';
import { type ClientRequest, parseUnambiguousRequestBody } from './client-request.ts';
import { COMPLETE_RESULT, type Exchange, type ExchangeResult } from './exchange-record.ts';
import { parseAndRoutePrompt } from './generation-operation.ts';
import type { GatewayOperation, RoutedPrompt } from './operation.ts';
import type { Target } from './org-catalog.ts';
import { planSubpathAttempt } from './plan-subpath-attempt.ts';
import { buildResponseHeaders } from './response-headers.ts';
import { sendToTargets } from './send-to-targets.ts';
import { COUNT_TOKENS_SURFACE } from './surface.ts';
import { ForwardedUpstreamError } from './upstream-error.ts';

/** Statuses with which providers of the Messages dialect respond if they do not support token counting. */
const UNSUPPORTED_STATUSES: ReadonlySet<number> = new Set([404, 405, 501]);

/** The operation `count_tokens` of the Messages API. */
export const COUNT_TOKENS_OPERATION: GatewayOperation = {
  surface: COUNT_TOKENS_SURFACE,
  async parse(x) {
    const routed = await parseAndRoutePrompt(x);
    return { route: routed.route, send: () => countTokens(x, routed) };
  },
};

/**
 * Counts the tokens of a request for any model. A provider of the Messages dialect counts them itself.
 * Otherwise the result is an estimate, which the header `x-floe-usage-source: estimated` shows.
 */
async function countTokens(x: Exchange, { prompt, route }: RoutedPrompt): Promise<ExchangeResult> {
  const counting = route.targets.filter(supportsTokenCount);
  const [first] = route.targets;
  if (!first || !counting.includes(first)) {
    sendTokenEstimate(x, prompt);
    return COMPLETE_RESULT;
  }
  try {
    await sendToTargets(x, { ...route, targets: counting }, (target) =>
      planSubpathAttempt(x, prompt, target, {
        suffix: '/count_tokens',
        send: (bytes) => sendTokenCount(x, bytes),
      }),
    );
  } catch (error) {
    const lacksIt = error instanceof ForwardedUpstreamError && UNSUPPORTED_STATUSES.has(error.status);
    if (!lacksIt || first.provider.definition.countsTokens) throw error;
    sendTokenEstimate(x, prompt);
  }
  return COMPLETE_RESULT;
}

/**
 * Returns whether the target can count tokens. A host that accepts Messages bodies only through another API
 * cannot.
 */
function supportsTokenCount({ provider, model }: Target): boolean {
  return provider.supportsDialect('messages', model) && provider.bodyShapeOf('messages') === undefined;
}

function sendTokenCount(x: Exchange, bytes: Buffer): void {
  x.client.sendAnswer(200, buildResponseHeaders(x, 'application/json'), bytes);
}

function sendTokenEstimate(x: Exchange, prompt: ClientRequest): void {
  const { system, messages, tools } = parseUnambiguousRequestBody(prompt);
  const body = JSON.stringify({ input_tokens: estimateTokens(system, messages, tools) });
  x.client.sendAnswer(
    200,
    [...buildResponseHeaders(x, 'application/json'), 'x-floe-usage-source', 'estimated'],
    body,
  );
}
