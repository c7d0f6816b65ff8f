import type { CheckResource } from '@floe/contract/api/monitor-history';
import { formatDuration } from '../../format/amounts.ts';
import { monitorDetailText } from './monitor-detail-text.ts';

/**
 * Describes how late a beat arrived, compared with its expected time: `on time`, `early` or `+7 s`. Returns `–`
 * if one of the times is unknown.
 */
export function formatLateness({
  expected_at,
  received_at,
}: Pick<CheckResource, 'expected_at' | 'received_at'>): string {
  if (expected_at === null || received_at === null) return '–';
  const ms = new Date(received_at).getTime() - new Date(expected_at).getTime();
  if (Math.abs(ms) < 1000) return monitorDetailText.checks.onTime;
  return ms < 0 ? monitorDetailText.checks.early : `+${formatDuration(ms)}`;
}

/**
 * Returns the metadata of a beat. If the beat was sent to the beat URL with a JSON object as its text body, the
 * result contains the members of this object.
 */
export function parseBeatMetadata(value: CheckResource['metadata']): CheckResource['metadata'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { body, ...rest } = value;
  if (typeof body !== 'string') return value;
  try {
    const read: CheckResource['metadata'] = JSON.parse(body);
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? { ...rest, ...read } : value;
  } catch {
    return value;
  }
}

/**
 * Summarizes metadata as text: its first two entries and the number of further entries. Returns null if the
 * metadata is empty.
 */
export function summarizeBeatMetadata(value: CheckResource['metadata']): string | null {
  if (value === null) return null;
  if (typeof value !== 'object') return String(value);
  const facts = Object.entries(value).map(
    ([name, fact]) => `${name} ${typeof fact === 'object' ? JSON.stringify(fact) : String(fact)}`,
  );
  if (facts.length === 0) return null;
  return (
    facts.slice(0, 2).join(' · ') +
    (facts.length > 2 ? ` · ${monitorDetailText.checks.moreFacts(facts.length - 2)}` : '')
  );
}
