import type { ClientRequest } from './client-request.ts';
import type { Exchange, ExchangeResult, StartedExchange } from './exchange-record.ts';
import type { ResolvedRoute } from './org-catalog.ts';
import type { GatewaySurface } from './surface.ts';

/** A parsed and routed request that all policies permit. */
export interface RoutedRequest {
  /** The targets in the order in which they are tried, and the settings of the route. */
  readonly route: ResolvedRoute;
  /** Responds with a cached response or that of a provider. Rejects with the error for the client. */
  send(): Promise<ExchangeResult>;
}

/** A gateway operation. It defines how requests are parsed and sent. */
export interface GatewayOperation {
  readonly surface: GatewaySurface;
  /** Parses the request and resolves its route. Rejects with the error of the request. */
  parse(x: Exchange): Promise<RoutedRequest>;
  /** Releases the resources that `parse` allocated, whatever the result of the exchange. */
  release?(x: StartedExchange): void;
}

/** A request in one of the three chat dialects, and its route. */
export interface RoutedPrompt {
  readonly prompt: ClientRequest;
  readonly route: ResolvedRoute;
}
