import type { ExchangeDecision } from '@floe/contract/api/attempts';
import type { DisplayStatus } from '../../ui/status.tsx';

/** The error that a request ended with, and how it is displayed. */
export interface RequestFailure {
  readonly code: string;
  readonly state: DisplayStatus;
}

/** The outcomes that need attention. In the step `route`, the outcome can also be the names of the targets. */
const OUTCOME_STATES: ReadonlyMap<string, DisplayStatus> = new Map<string, DisplayStatus>([
  ['rejected', 'blocked'],
  ['denied', 'blocked'],
  ['skipped', 'warning'],
  ['moved_on', 'warning'],
  ['retry', 'warning'],
  ['no_retry', 'warning'],
  ['waits', 'warning'],
  ['late', 'warning'],
  ['panic', 'warning'],
  ['omits', 'warning'],
  ['redacted', 'warning'],
  ['flagged', 'warning'],
  ['not_evaluated', 'warning'],
  ['would_deny', 'warning'],
  ['would_redact', 'warning'],
  ['would_flag', 'warning'],
]);

/**
 * Returns the status that is displayed for a routing decision.
 * @param failure The error that the request ended with. Null if it succeeded.
 */
export function getExchangeDecisionStatus(
  { step, outcome }: Pick<ExchangeDecision, 'step' | 'outcome'>,
  failure: RequestFailure | null,
): DisplayStatus {
  if (failure !== null && (step === 'answer' || outcome === failure.code)) return failure.state;
  return OUTCOME_STATES.get(outcome) ?? 'healthy';
}
