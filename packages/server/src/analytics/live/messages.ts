import type { JsonObject } from '@floe/contract/json';
import { exchangeTail } from '../../store/exchange-tail.ts';
import type { StoredEvent } from '../../store/live-events.ts';
import type { ExchangeRow, Reader } from '../../store/ports.ts';
import { batchesIn, toldOf } from './told.ts';
import type { Watcher } from './watcher.ts';

/** Rows in one message; of more the last are sent, with the exact number of all. */
const ROWS_PER_MESSAGE = 100;

export const NOTHING = '';

/** Tells a watcher to read again what it shows: some of what happened was missed. */
export const RESYNC = 'event: resync\ndata: {"because":"what happened in between is no longer kept"}\n\n';

/**
 * What each watcher of an org hears of some events, as text of `text/event-stream`. What is the same for
 * several of them is read and written once.
 */
export function messages(
  reader: Reader,
  orgId: string,
  events: readonly StoredEvent[],
  show: (row: ExchangeRow) => JsonObject,
): (watcher: Watcher) => Promise<string> {
  const told = toldOf(events).map(({ topic, data }) => ({ topic, text: message(topic, data) }));
  const batches = batchesIn(events);
  const byFilter = new Map<string, Promise<string>>();
  async function requests({ subscription }: Watcher): Promise<string> {
    const { count, rows } = await exchangeTail(
      reader,
      batches,
      { orgId, ...subscription.filters },
      ROWS_PER_MESSAGE,
    );
    if (count === 0) return NOTHING;
    return message('requests', { count, sampled: count > rows.length, data: rows.map(show) });
  }
  return async (watcher) => {
    const { topics } = watcher.subscription;
    let text = told.flatMap(({ topic, text: one }) => (topics.has(topic) ? [one] : [])).join('');
    if (!topics.has('requests') || batches.length === 0) return text;
    let rows = byFilter.get(watcher.filterKey);
    if (!rows) {
      rows = requests(watcher);
      byFilter.set(watcher.filterKey, rows);
    }
    text += await rows;
    return text;
  };
}

function message(topic: string, data: JsonObject): string {
  return `event: ${topic}\ndata: ${JSON.stringify(data)}\n\n`;
}
