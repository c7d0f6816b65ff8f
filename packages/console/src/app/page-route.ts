import type { QueryClient } from '@tanstack/react-query';
import type { ComponentType } from 'react';

/** A link to a page, as far as it says what the page will read. */
export interface PrefetchLocation {
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
}

/** Asks for what a page will read, so that the answers are under way while it is drawn. */
export type PrefetchQueries = (client: QueryClient, place: PrefetchLocation) => void;

/** One page of the console, below `/o/{org}`. */
export interface PageRoute {
  /** Below the org: `/requests`, `/requests/$id`. */
  readonly path: string;
  /** What the tab of the browser says. */
  readonly title: string;
  /** Loads the page's code when it is first shown. */
  readonly load: () => Promise<{ readonly Page: ComponentType; readonly ask?: PrefetchQueries }>;
}
