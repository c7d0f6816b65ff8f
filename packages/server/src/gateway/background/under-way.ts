import { readBoolean } from '@floe/wire/splice';
import { inputTokensAbout } from '../../guardrails/estimate.ts';
import type { ExchangeRow } from '../../store/ports.ts';
import { estimateExchange } from '../estimate-exchange.ts';
import type { Exchange } from '../exchange-record.ts';
import { requestedTier } from '../requested-tier.ts';
import { hasEnded } from './background.ts';

/** The id of a response that its provider goes on making when the exchange has ended; null for any other. */
export function underWay({ request: { ask }, answer, target }: Exchange): string | null {
  const { finish, responseId, usage } = answer;
  const span = ask?.members.get('background');
  if (!ask || !span || target === null || usage !== null || readBoolean(ask.body, span) !== true) return null;
  return finish === null || !hasEnded({ status: finish }) ? responseId : null;
}

/** Hands the settlement of an exchange to whoever asks its provider for the response. */
export function deferSettlement(x: Exchange, responseId: string, row: ExchangeRow): void {
  const {
    request: { ask },
    course,
    gateway,
    admission,
    target,
  } = x;
  if (ask === null || target === null) throw new Error('a response came from a target that was asked');
  gateway.background.defer({
    row,
    responseId,
    origin: target.provider.sealOrigin(target.credential),
    grant: admission && gateway.guard.keepBudgets(admission.grant),
    tier: requestedTier(ask) ?? null,
    inputTokens: inputTokensAbout(ask.body),
    reservedNanoUsd: course && estimateExchange(x, course).nanoUsd,
  });
}
