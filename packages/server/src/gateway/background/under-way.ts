import { readBoolean } from '@floe/wire/splice';
import { inputTokensAbout } from '../../guardrails/estimate.ts';
import type { ExchangeRow } from '../../store/ports.ts';
import type { Ask } from '../ask.ts';
import type { Target } from '../catalog.ts';
import { estimateExchange } from '../estimate-exchange.ts';
import type { Exchange } from '../exchange-record.ts';
import { requestedTier } from '../requested-tier.ts';
import { hasEnded } from './background.ts';

/** A response that its provider continues to make after the exchange has ended. */
export interface ResponseUnderWay {
  readonly id: string;
  readonly ask: Ask;
  readonly target: Target;
}

/** The response that its provider continues to make after the exchange has ended; null for any other. */
export function underWay({ request: { ask }, answer, target }: Exchange): ResponseUnderWay | null {
  const { finish, responseId, usage } = answer;
  const span = ask?.members.get('background');
  if (!ask || !span || target === null || usage !== null || readBoolean(ask.body, span) !== true) return null;
  if (responseId === null || (finish !== null && hasEnded({ status: finish }))) return null;
  return { id: responseId, ask, target };
}

/** Leaves the settlement of an exchange to the background, which asks the provider for the response. */
export function deferSettlement(x: Exchange, { id, ask, target }: ResponseUnderWay, row: ExchangeRow): void {
  const { course, gateway, admission } = x;
  gateway.background.defer({
    row,
    responseId: id,
    origin: target.provider.sealOrigin(target.credential),
    grant: admission && gateway.guard.keepBudgets(admission.grant),
    tier: requestedTier(ask) ?? null,
    inputTokens: inputTokensAbout(ask.body),
    reservedNanoUsd: course && estimateExchange(x, course).nanoUsd,
  });
}
