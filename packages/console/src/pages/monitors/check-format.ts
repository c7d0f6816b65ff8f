import type { CheckResource } from '@floe/contract/api/monitors';
import { formatDuration } from '../../format/amounts.ts';

/** `on time`, `early`, `+7 s`: how a beat stood to what was promised. */
export function formatLateness({
  expected_at,
  received_at,
}: Pick<CheckResource, 'expected_at' | 'received_at'>): string {
  if (expected_at === null || received_at === null) return '–';
  const ms = new Date(received_at).getTime() - new Date(expected_at).getTime();
  if (Math.abs(ms) < 1000) return 'on time';
  return ms < 0 ? 'early' : `+${formatDuration(ms)}`;
}

/** What a beat carried; the body of one by URL is text, which is mostly JSON. */
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

/** The first two facts of what a beat carried; null when it carried nothing. */
export function summarizeMetadata(value: CheckResource['metadata']): string | null {
  if (value === null) return null;
  if (typeof value !== 'object') return String(value);
  const facts = Object.entries(value).map(
    ([name, fact]) => `${name} ${typeof fact === 'object' ? JSON.stringify(fact) : String(fact)}`,
  );
  if (facts.length === 0) return null;
  return facts.slice(0, 2).join(' · ') + (facts.length > 2 ? ` · ${facts.length - 2} more` : '');
}
