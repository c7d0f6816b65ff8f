import type { JsonObject } from '@floe/contract/json';
import { getExchangeTail } from '../../store/exchange-tail.ts';
import type { StoredLiveEvent } from '../../store/live-events.ts';
import type { DatabaseReader, ExchangeRow } from '../../store/ports.ts';
import { extractBatches, toLiveMessages } from './live-messages.ts';
import type { LiveWatcher } from './watcher.ts';

/** Rows in one message; of more the last are sent, with the exact number of all. */
const ROWS_PER_MESSAGE = 100;

export const NO_EVENT_TEXT = '';

/** Tells a watcher to read again what it shows: some of what happened was missed. */
export const RESYNC_EVENT =
  'event: resync\ndata: {"because":"the events after Last-Event-ID are no longer available"}\n\n';

/**
 * What each watcher of an org hears of some events, as text of `text/event-stream`. What is the same for
 * several of them is read and written once.
 */
export function createEventFormatter(
  reader: DatabaseReader,
  orgId: string,
  events: readonly StoredLiveEvent[],
  show: (row: ExchangeRow) => JsonObject,
): (watcher: LiveWatcher) => Promise<string> {
  const formatted = toLiveMessages(events).map(({ topic, data }) => ({
    topic,
    text: formatEvent(topic, data),
  }));
  const batches = extractBatches(events);
  const byFilter = new Map<string, Promise<string>>();
  async function requests({ subscription }: LiveWatcher): Promise<string> {
    const { count, rows } = await getExchangeTail(
      reader,
      batches,
      { orgId, ...subscription.filters },
      ROWS_PER_MESSAGE,
    );
    if (count === 0) return NO_EVENT_TEXT;
    return formatEvent('requests', { count, sampled: count > rows.length, data: rows.map(show) });
  }
  return async (watcher) => {
    const { topics } = watcher.subscription;
    let text = formatted.flatMap(({ topic, text: one }) => (topics.has(topic) ? [one] : [])).join('');
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

function formatEvent(topic: string, data: JsonObject): string {
  return `event: ${topic}\ndata: ${JSON.stringify(data)}\n\n`;
}
