import type { QueryClient } from '@tanstack/react-query';
import type { ComponentType } from 'react';

/** The path parameters and query parameters of a URL. They determine which queries a page needs. */
export interface PrefetchLocation {
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
}

/** A function that starts the queries of a page, so that their responses load while the page renders. */
export type PageQueryPrefetcher = (client: QueryClient, location: PrefetchLocation) => void;

/** A console page and its path below `/o/{org}`. */
export interface PageRoute {
  /** Path relative to the organization, such as `/requests` or `/requests/$id`. */
  readonly path: string;
  /** Loads the code of the page. Called when the page is first shown. */
  readonly load: () => Promise<{ readonly Page: ComponentType; readonly prefetch?: PageQueryPrefetcher }>;
}
