import { estimateTokens } from '@floe/wire/token-estimate';
import type { AttemptPlan } from './attempt-plan.ts';
import { getForwardedQuery } from './client-query.ts';
import { type ClientRequest, parseClientRequestBody } from './client-request.ts';
import { COMPLETE_RESULT, type Exchange, type ExchangeResult } from './exchange-record.ts';
import { buildForwardedRequest } from './forward-request.ts';
import { parseAndRoutePrompt } from './generation.ts';
import type { GatewayOperation, RoutedPrompt } from './operation.ts';
import type { Target } from './org-catalog.ts';
import { buildResponseHeaders } from './response-headers.ts';
import { createBufferedResponseSink } from './response-sinks.ts';
import { sendToTargets } from './send-to-targets.ts';
import { COUNT_TOKENS_SURFACE } from './surface.ts';
import { ForwardedUpstreamError, readUpstreamError } from './upstream-error.ts';
import { withoutForeignSeals } from './without-foreign-seals.ts';

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
    await sendToTargets(x, { ...route, targets: counting }, (target) => planTokenCount(x, prompt, target));
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

function planTokenCount(x: Exchange, prompt: ClientRequest, target: Target): AttemptPlan {
  const client = { headers: x.client.headers, query: getForwardedQuery(x) };
  const { request } = buildForwardedRequest(
    withoutForeignSeals(x, prompt, target),
    target,
    x.surface,
    client,
  );
  const tell = (bytes: Buffer) =>
    x.client.sendAnswer(200, buildResponseHeaders(x, 'application/json'), bytes);
  return {
    request: { ...request, path: request.path.replace(/(?=\?|$)/, '/count_tokens') },
    dropped: [],
    createSink: () => createBufferedResponseSink(tell),
    toError: (answer) => readUpstreamError(target.provider, answer),
  };
}

function sendTokenEstimate(x: Exchange, prompt: ClientRequest): void {
  const { system, messages, tools } = parseClientRequestBody(prompt);
  const body = JSON.stringify({ input_tokens: estimateTokens(system, messages, tools) });
  x.client.sendAnswer(
    200,
    [...buildResponseHeaders(x, 'application/json'), 'x-floe-usage-source', 'estimated'],
    body,
  );
}
