import type { FaultCode } from './faults.ts';

/** The possible outcomes of an exchange. An outcome is derived from the exchange's state, status and error code. */
export const EXCHANGE_OUTCOMES = [
  'succeeded',
  'cached',
  'blocked',
  'client_error',
  'upstream_error',
  'gateway_error',
  'partial',
  'aborted',
] as const;
export type ExchangeOutcome = (typeof EXCHANGE_OUTCOMES)[number];

/** The outcomes that count as errors. A rejection by Floe and a disconnected client are not errors. */
export const ERROR_OUTCOMES = [
  'client_error',
  'upstream_error',
  'gateway_error',
  'partial',
] as const satisfies readonly ExchangeOutcome[];

/** The codes of errors that neither the client nor a provider caused: Floe could not process a valid request. */
export const GATEWAY_FAILURE_CODES = [
  'internal_error',
  'overloaded',
  'auth_unavailable',
  'shutting_down',
] as const satisfies readonly FaultCode[];

/**
 * The codes of errors that a provider caused, whatever the status of the response is: an IDE receives them with
 * status 400. `upstream_error` is not in the list, because it is also the code of a 4xx response that Floe forwards.
 */
export const UPSTREAM_FAILURE_CODES = [
  'upstream_rate_limited',
  'upstream_unreachable',
  'upstream_stream_broken',
  'upstream_auth_failed',
  'upstream_timeout',
  'unsupported_response',
  'no_healthy_target',
] as const satisfies readonly FaultCode[];

/**
 * The HTTP statuses of a request that the provider rejected because of a mistake of the client: 4xx, except
 * 429, which is the provider's rate limit.
 */
export const CLIENT_ERROR_STATUS_RANGE = { from: 400, to: 499, except: 429 } as const;

/** The recorded result of an exchange. */
export interface RecordedExchangeResult {
  readonly state: string;
  readonly status: number;
  /** A `FaultCode`, or the code of a later version of Floe; null if there was no error. */
  readonly error_code: string | null;
}

/**
 * Returns the outcome of an exchange. A state that this version of Floe does not know is treated like `failed`.
 */
export function classifyExchangeOutcome(result: RecordedExchangeResult): ExchangeOutcome {
  switch (result.state) {
    case 'complete':
      return 'succeeded';
    case 'cached':
    case 'blocked':
    case 'partial':
    case 'aborted':
      return result.state;
    default:
      return classifyFailure(result);
  }
}

function classifyFailure({ status, error_code }: RecordedExchangeResult): ExchangeOutcome {
  if (GATEWAY_FAILURE_CODES.some((code) => code === error_code)) return 'gateway_error';
  if (UPSTREAM_FAILURE_CODES.some((code) => code === error_code)) return 'upstream_error';
  const { from, to, except } = CLIENT_ERROR_STATUS_RANGE;
  return status >= from && status <= to && status !== except ? 'client_error' : 'upstream_error';
}

/** Returns whether an exchange with this result counts as an error. */
export function isErrorExchange(result: RecordedExchangeResult): boolean {
  const outcome = classifyExchangeOutcome(result);
  return ERROR_OUTCOMES.some((one) => one === outcome);
}
