import type { savedViewFieldsStoredAsIs } from '@floe/contract/api/saved-views';
import type { Generated } from 'kysely';
import type * as z from 'zod';

/** Recent live events in commit order, for event streams. */
export interface LiveEventsTable {
  seq: Generated<number>;
  /** Id of the transaction that wrote the event. 0 with SQLite, because SQLite has only one writer. */
  xid: Generated<number>;
  org_id: string;
  /** Topic of the event: `requests`, `alerts`, `audit` or `breakers`. */
  topic: string;
  at: number;
  data_json: string;
}

/** Breaker state changes, recorded by the process that observed them. */
export interface BreakerChangesTable {
  id: string;
  org_id: string;
  /** `<provider>/<model>@<credential>`. */
  breaker_id: string;
  at: number;
  state: string;
  because: string;
}

/** Named filters that users saved for a page of the console. */
export interface SavedViewsTable extends z.output<typeof savedViewFieldsStoredAsIs> {
  id: string;
  org_id: string;
  /** Id of the member or the platform key that created it. */
  owner: string;
  /** 1 if it is visible to the whole organization. */
  shared: number;
  filters_json: string;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

/** Background jobs, for work that takes longer than a request. */
export interface BackgroundJobsTable {
  id: string;
  org_id: string;
  kind: string;
  /**
   * `running`, `done`, `failed` or `cancelled`. The process of a running job with an old `seen_at` has ended.
   */
  state: string;
  done: number;
  /** Null while the total is unknown. */
  total: number | null;
  created_by: string;
  created_at: number;
  /** When the process of the job last reported progress. */
  seen_at: number;
  ended_at: number | null;
  cancel_requested: number;
  result_json: string | null;
  error: string | null;
}
