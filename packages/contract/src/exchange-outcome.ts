/** The possible outcomes of an exchange. An outcome is derived from the exchange's state and status. */
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

/** The outcomes that count as errors. A rejection by Floe and a disconnected client are not errors. */
export const ERROR_OUTCOMES = [
  'client_error',
  'upstream_error',
  'partial',
] as const satisfies readonly ExchangeOutcome[];

/**
 * The HTTP statuses of a request that the provider rejected because of a mistake of the client: 4xx, except
 * 429, which is the provider's rate limit.
 */
export const CLIENT_ERROR_STATUS_RANGE = { from: 400, to: 499, except: 429 } as const;

/**
 * Returns the outcome of an exchange with this state and status. A state that this version of Floe does not
 * know is treated like `failed`.
 */
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
      const { from, to, except } = CLIENT_ERROR_STATUS_RANGE;
      return status >= from && status <= to && status !== except ? 'client_error' : 'upstream_error';
    }
  }
}

/** Returns whether a row with this state and status counts as an error. */
export function isErrorExchange(state: string, status: number): boolean {
  const outcome = classifyExchangeOutcome(state, status);
  return ERROR_OUTCOMES.some((one) => one === outcome);
}
