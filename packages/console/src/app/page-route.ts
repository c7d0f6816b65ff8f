import type { ComponentType } from 'react';

/** One page of the console, below `/o/{org}`. */
export interface PageRoute {
  /** Below the org: `/requests`, `/requests/$id`. */
  readonly path: string;
  /** What the tab of the browser says. */
  readonly title: string;
  /** Loads the page's code when it is first shown. */
  readonly load: () => Promise<{ readonly Page: ComponentType }>;
}
