import { estimateInputTokens } from '../../guardrails/token-estimate.ts';
import type { ExchangeRow } from '../../store/store-interfaces.ts';
import type { ClientRequest } from '../client-request.ts';
import { estimateMaxTokensAndCost } from '../estimate-exchange.ts';
import type { Exchange } from '../exchange-record.ts';
import type { Target } from '../org-catalog.ts';
import { findRequestedServiceTier } from '../requested-service-tier.ts';
import { isBackgroundRequest } from './background-request.ts';
import { isResponseFinal } from './response-status.ts';

/** A response that the provider continues to generate after the exchange has ended. */
export interface UnfinishedResponse {
  readonly id: string;
  readonly ask: ClientRequest;
  readonly target: Target;
}

/**
 * Returns the response that the provider continues to generate after the exchange has ended; null
 * if there is none.
 */
export function findUnfinishedResponse({
  request: { prompt },
  answer,
  target,
}: Exchange): UnfinishedResponse | null {
  const { finishReason, responseId, usage } = answer;
  if (!prompt || target === null || usage !== null || !isBackgroundRequest(prompt)) return null;
  if (responseId === null || (finishReason !== null && isResponseFinal({ status: finishReason })))
    return null;
  return { id: responseId, ask: prompt, target };
}

/** Passes an exchange to the background finalizer, which polls the provider until the response is final. */
export function deferFinalization(
  x: Exchange,
  { id, ask: prompt, target }: UnfinishedResponse,
  row: ExchangeRow,
): void {
  const { route, gateway, admission } = x;
  gateway.background.defer({
    row,
    responseId: id,
    origin: target.provider.sealOrigin(target.credential),
    grant: admission && gateway.guard.settleLimits(admission.grant),
    tier: findRequestedServiceTier(prompt) ?? null,
    inputTokens: estimateInputTokens(prompt.body, x.request.turn?.resolvedInput),
    reservedNanoUsd: route && estimateMaxTokensAndCost(x, route).nanoUsd,
  });
}
