import type { Client } from '../../gateway/client.ts';

/** Where requests to one path are answered. */
export interface ExchangePlace {
  /** The path as it is below the base URL. */
  readonly path: string;
  readonly answer: (client: Client) => void;
}

/** From the target of a plain request to its place; undefined where none is read ahead. */
export type PlaceOf = (target: string) => ExchangePlace | undefined;
