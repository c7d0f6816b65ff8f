import type { storedViewFields } from '@floe/contract/api/views';
import type { Generated } from 'kysely';
import type * as z from 'zod';

/** What happened lately, in the order of its commits, for whoever watches. */
export interface LiveEventsTable {
  seq: Generated<number>;
  /** Id of the transaction that wrote it; 0 on SQLite, which has one writer. */
  xid: Generated<number>;
  org_id: string;
  /** Which kind of thing it tells of: `requests`, `alerts`, `audit` or `breakers`. */
  topic: string;
  at: number;
  data_json: string;
}

/** A breaker's changes of state, as the process that saw each. */
export interface BreakerChangesTable {
  id: string;
  org_id: string;
  /** `<provider>/<model>@<credential>`. */
  breaker_id: string;
  at: number;
  state: string;
  because: string;
}

/** Filters of a page under a name. */
export interface ViewsTable extends z.output<typeof storedViewFields> {
  id: string;
  org_id: string;
  /** Id of the member or the platform key that made it. */
  owner: string;
  /** 1: everybody of the org sees it. */
  shared: number;
  filters_json: string;
  created_at: number;
  updated_at: number;
  updated_by: string;
}

/** Work that takes longer than a request. */
export interface JobsTable {
  id: string;
  org_id: string;
  kind: string;
  /** running, done, failed or cancelled; one that is running and was not seen lately is lost. */
  state: string;
  done: number;
  /** Null while nobody knows how much there is. */
  total: number | null;
  created_by: string;
  created_at: number;
  /** Last word of the process that works on it. */
  seen_at: number;
  ended_at: number | null;
  cancel_requested: number;
  result_json: string | null;
  error: string | null;
}
