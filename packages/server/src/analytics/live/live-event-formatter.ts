import type { JsonObject } from '@floe/contract/json';
import { getLiveBatchMatches } from '../../store/live-batch-matches.ts';
import type { StoredLiveEvent } from '../../store/live-events.ts';
import type { DatabaseReader, ExchangeRow } from '../../store/store-interfaces.ts';
import { extractExchangeBatches, toLiveMessages } from './live-messages.ts';
import type { LiveWatcher } from './live-watcher.ts';

/**
 * Maximum number of rows in one message. If there are more, the message has the newest rows and the exact
 * total.
 */
const ROWS_PER_MESSAGE = 100;

/**
 * The empty text that the formatter returns if a batch contains no events for a watcher. Nothing is then
 * sent.
 */
export const NO_EVENT_TEXT = '';

/** The event that instructs a client to reload its data, because it missed events. */
export const RESYNC_EVENT =
  'event: resync\ndata: {"reason":"the events after Last-Event-ID are no longer available"}\n\n';

/**
 * Returns a function that formats one organization's events as `text/event-stream` for a watcher. Text that
 * several watchers need is read and formatted only once. `show` converts a row to the JSON that watchers
 * receive.
 */
export function createLiveEventFormatter(
  reader: DatabaseReader,
  orgId: string,
  events: readonly StoredLiveEvent[],
  show: (row: ExchangeRow) => JsonObject,
): (watcher: LiveWatcher) => Promise<string> {
  const formatted = toLiveMessages(events).map(({ topic, data }) => ({
    topic,
    text: formatEvent(topic, data),
  }));
  const batches = extractExchangeBatches(events);
  const byFilter = new Map<string, Promise<string>>();
  async function requests({ subscription }: LiveWatcher): Promise<string> {
    const { count, rows } = await getLiveBatchMatches(
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
