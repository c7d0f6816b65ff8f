import type { Ask } from './ask.ts';
import type { Course } from './catalog.ts';
import type { Exchange, Outcome, StartedExchange } from './exchange-record.ts';
import type { Surface } from './surface.ts';

/** A request that was read, routed and judged. */
export interface RoutedRequest {
  /** Who may answer, in order. */
  readonly course: Course;
  /** Answers the client, from the cache or by an upstream. Rejects with what the client is told instead. */
  send(): Promise<Outcome>;
}

/** What one kind of path does within the pipeline of every exchange. */
export interface Operation {
  readonly surface: Surface;
  /** Reads the request and finds who may answer it. Rejects with what is wrong with it. */
  parse(x: Exchange): Promise<RoutedRequest>;
  /** Gives back what `parse` took, whatever the end. */
  release?(x: StartedExchange): void;
}

/** A request in one of the three dialects, and who may answer it. */
export interface Prompt {
  readonly ask: Ask;
  readonly course: Course;
}
