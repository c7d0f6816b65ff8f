/** One word for how an exchange ended, derived from its state and its status (product page, "Analytics"). */
export const EXCHANGE_OUTCOMES = [
  'succeeded',
  'cached',
  'blocked',
  'client_error',
  'upstream_error',
  'partial',
  'aborted',
] as const;
export type ExchangeOutcome = (typeof EXCHANGE_OUTCOMES)[number];

/** Outcomes that are errors; a refusal by Floe and a client that left are none. */
export const ERROR_OUTCOMES = [
  'client_error',
  'upstream_error',
  'partial',
] as const satisfies readonly ExchangeOutcome[];

/** Statuses of a request that was at fault itself: 4xx, but for the provider's own rate limit. */
export const CLIENT_ERROR_STATUS = { from: 400, to: 499, except: 429 } as const;

/** The outcome of a row. A state this version does not know is an `upstream_error` rather than a success. */
export function classifyExchangeOutcome(state: string, status: number): ExchangeOutcome {
  switch (state) {
    case 'complete':
      return 'succeeded';
    case 'cached':
    case 'blocked':
    case 'partial':
    case 'aborted':
      return state;
    default: {
      const { from, to, except } = CLIENT_ERROR_STATUS;
      return status >= from && status <= to && status !== except ? 'client_error' : 'upstream_error';
    }
  }
}

/** Whether a row with this state and status counts as an error. */
export function isErrorRow(state: string, status: number): boolean {
  const outcome = classifyExchangeOutcome(state, status);
  return ERROR_OUTCOMES.some((one) => one === outcome);
}
