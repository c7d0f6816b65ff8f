import type { Json, JsonObject } from '@floe/contract/json';
import { CLIENT_DIALECTS } from '@floe/wire/dialects';
import { createUnsupportedFeatureFault } from '@floe/wire/request';
import { estimateTokens } from '@floe/wire/token-estimate';
import { parseUnambiguousRequestBody } from './client-request.ts';
import { COMPLETE_RESULT, type Exchange, type ExchangeResult } from './exchange-record.ts';
import { parseAndRoutePrompt } from './generation-operation.ts';
import type { GatewayOperation, RoutedPrompt } from './operation.ts';
import type { Target } from './org-catalog.ts';
import { planSubpathAttempt } from './plan-subpath-attempt.ts';
import { buildResponseHeaders } from './response-headers.ts';
import { sendToTargets } from './send-to-targets.ts';
import {
  type GatewaySurface,
  MESSAGES_COUNT_TOKENS_SURFACE,
  RESPONSES_COUNT_TOKENS_SURFACE,
} from './surface.ts';
import { ForwardedUpstreamError } from './upstream-error.ts';

/** An API that counts tokens. */
interface TokenCountApi {
  readonly surface: GatewaySurface;
  /** The path below the path of the API. */
  readonly suffix: string;
  /** Returns the parts of a request that the model reads. @throws Fault if Floe does not know them all */
  readonly listCountedParts: (body: JsonObject) => readonly (Json | undefined)[];
  readonly writeCount: (tokens: number) => JsonObject;
}

/** The operation `messages/count_tokens`. */
export const COUNT_MESSAGES_TOKENS_OPERATION = createCountOperation({
  surface: MESSAGES_COUNT_TOKENS_SURFACE,
  suffix: '/count_tokens',
  listCountedParts: ({ system, messages, tools }) => [system, messages, tools],
  writeCount: (tokens) => ({ input_tokens: tokens }),
});

/** The operation `responses/input_tokens`. */
export const COUNT_RESPONSES_TOKENS_OPERATION = createCountOperation({
  surface: RESPONSES_COUNT_TOKENS_SURFACE,
  suffix: '/input_tokens',
  listCountedParts(body) {
    const param = CLIENT_DIALECTS.responses.readRequest(body).requiredFeatures.get('stored-state');
    if (param !== undefined) throw createUnsupportedFeatureFault({ need: 'stored-state', param });
    const { instructions, input, tools, text } = body;
    return [instructions, input, tools, text];
  },
  writeCount: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
});

/** Statuses with which providers of the dialect respond if they do not support token counting. */
const UNSUPPORTED_STATUSES: ReadonlySet<number> = new Set([404, 405, 501]);

function createCountOperation(api: TokenCountApi): GatewayOperation {
  return {
    surface: api.surface,
    async parse(x) {
      const routed = await parseAndRoutePrompt(x);
      return { route: routed.route, send: () => countTokens(x, routed, api) };
    },
  };
}

/**
 * Counts the tokens of a request for any model. A provider that uses the dialect counts them itself.
 * Otherwise the result is an estimate, which the header `x-floe-usage-source: estimated` shows.
 */
async function countTokens(
  x: Exchange,
  { prompt, route }: RoutedPrompt,
  api: TokenCountApi,
): Promise<ExchangeResult> {
  const estimate = () => {
    const body = parseUnambiguousRequestBody(prompt);
    sendTokenEstimate(x, x.request.turn?.expandedBody() ?? body, api);
    return COMPLETE_RESULT;
  };
  const counting = route.targets.filter((target) => supportsTokenCount(target, api));
  const [first] = route.targets;
  if (!first || !counting.includes(first)) return estimate();
  try {
    await sendToTargets(x, { ...route, targets: counting }, (target) =>
      planSubpathAttempt(x, x.request.turn?.requestFor(target) ?? prompt, target, {
        suffix: api.suffix,
        send: (bytes) => sendTokenCount(x, bytes),
      }),
    );
  } catch (error) {
    const lacksIt = error instanceof ForwardedUpstreamError && UNSUPPORTED_STATUSES.has(error.status);
    if (!lacksIt || first.provider.definition.countsTokens) throw error;
    return estimate();
  }
  return COMPLETE_RESULT;
}

/**
 * Returns whether the target can count tokens. A host that accepts bodies of the dialect only through another API
 * cannot.
 */
function supportsTokenCount({ provider, model }: Target, { surface: { dialect } }: TokenCountApi): boolean {
  return provider.supportsDialect(dialect, model) && provider.bodyShapeOf(dialect) === undefined;
}

function sendTokenCount(x: Exchange, bytes: Buffer): void {
  x.client.sendAnswer(200, buildResponseHeaders(x, 'application/json'), bytes);
}

function sendTokenEstimate(
  x: Exchange,
  body: JsonObject,
  { listCountedParts, writeCount }: TokenCountApi,
): void {
  const tokens = estimateTokens(...listCountedParts(body));
  x.client.sendAnswer(
    200,
    [...buildResponseHeaders(x, 'application/json'), 'x-floe-usage-source', 'estimated'],
    JSON.stringify(writeCount(tokens)),
  );
}
