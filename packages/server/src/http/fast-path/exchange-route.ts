import type { ClientCall } from '../../gateway/client-call.ts';

/** A path whose requests start an exchange. */
export interface ExchangeRoute {
  /** The path below the base URL. */
  readonly path: string;
  readonly answer: (client: ClientCall) => void;
}

/**
 * Returns the exchange route for a request target. Undefined if the fast path does not serve it.
 */
export type FindExchangeRoute = (target: string) => ExchangeRoute | undefined;
