import type { ClientConnection } from '../../gateway/client.ts';

/** Where requests to one path are answered. */
export interface ExchangeRoute {
  /** The path as it is below the base URL. */
  readonly path: string;
  readonly answer: (client: ClientConnection) => void;
}

/** From the target of a plain request to its place; undefined where none is read ahead. */
export type FindExchangeRoute = (target: string) => ExchangeRoute | undefined;
