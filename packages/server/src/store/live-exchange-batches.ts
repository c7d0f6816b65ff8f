import type { JsonObject } from '@floe/contract/json';
import { EXCHANGE_COLUMNS } from './schema.ts';
import type { ExchangeRowValues } from './spool/exchange-row-lines.ts';

/**
 * The live event about exchanges that were committed together. It refers to their rows and does not
 * contain them.
 */
export interface LiveExchangeBatch {
  readonly ids: readonly string[];
  /** The earliest and the latest `created_at` of the exchanges, in Unix milliseconds. */
  readonly from: number;
  readonly to: number;
  /** Number of exchanges that limits rejected. `over_budget` is the number that budgets rejected. */
  readonly rate_limited: number;
  readonly over_budget: number;
}

/** The columns of the rows that `LiveExchangeBatchCollector` returns. */
export const LIVE_EVENT_COLUMNS = ['org_id', 'topic', 'at', 'data_json'] as const;

const columnIndex = (name: (typeof EXCHANGE_COLUMNS)[number]) => EXCHANGE_COLUMNS.indexOf(name);
const ID = columnIndex('id');
const ORG = columnIndex('org_id');
const CREATED_AT = columnIndex('created_at');
const ERROR_CODE = columnIndex('error_code');

/** Groups new exchanges by organization, and creates one live event for each organization. */
export class LiveExchangeBatchCollector {
  readonly #byOrg = new Map<
    string,
    { ids: string[]; from: number; to: number; rate_limited: number; over_budget: number }
  >();

  /** @param row columns of an exchange in the order of `EXCHANGE_COLUMNS` */
  add(row: ExchangeRowValues): void {
    const orgId = String(row[ORG]);
    const at = Number(row[CREATED_AT]);
    let batch = this.#byOrg.get(orgId);
    if (!batch) {
      batch = { ids: [], from: at, to: at, rate_limited: 0, over_budget: 0 };
      this.#byOrg.set(orgId, batch);
    }
    batch.ids.push(String(row[ID]));
    batch.from = Math.min(batch.from, at);
    batch.to = Math.max(batch.to, at);
    const code = row[ERROR_CODE];
    if (code === 'rate_limit_exceeded') batch.rate_limited += 1;
    if (code === 'budget_exceeded' || code === 'budget_reserved') batch.over_budget += 1;
  }

  /** Returns rows of `live_events`, with the columns in the order of `LIVE_EVENT_COLUMNS`. */
  toRows(): (string | number)[][] {
    return [...this.#byOrg].map(([orgId, batch]) => [orgId, 'requests', batch.to, JSON.stringify(batch)]);
  }
}

/** Parses the event data of a batch of live exchanges. Returns null for data in any other format. */
export function parseLiveExchangeBatch(data: JsonObject): LiveExchangeBatch | null {
  const { ids, from, to, rate_limited, over_budget } = data;
  if (!Array.isArray(ids) || typeof from !== 'number' || typeof to !== 'number') return null;
  return {
    ids: ids.filter((id) => typeof id === 'string'),
    from,
    to,
    rate_limited: typeof rate_limited === 'number' ? rate_limited : 0,
    over_budget: typeof over_budget === 'number' ? over_budget : 0,
  };
}
