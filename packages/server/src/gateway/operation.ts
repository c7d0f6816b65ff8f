import type { ResolvedRoute } from './catalog.ts';
import type { ClientRequest } from './client-request.ts';
import type { Exchange, ExchangeResult, StartedExchange } from './exchange-record.ts';
import type { GatewaySurface } from './surface.ts';

/** A request that was read, routed and judged. */
export interface RoutedRequest {
  /** Who may answer, in order. */
  readonly route: ResolvedRoute;
  /** Answers the client, from the cache or by an upstream. Rejects with what the client is told instead. */
  send(): Promise<ExchangeResult>;
}

/** What one kind of path does within the pipeline of every exchange. */
export interface GatewayOperation {
  readonly surface: GatewaySurface;
  /** Reads the request and finds who may answer it. Rejects with what is wrong with it. */
  parse(x: Exchange): Promise<RoutedRequest>;
  /** Gives back what `parse` took, whatever the end. */
  release?(x: StartedExchange): void;
}

/** A request in one of the three dialects, and who may answer it. */
export interface RoutedPrompt {
  readonly prompt: ClientRequest;
  readonly route: ResolvedRoute;
}
