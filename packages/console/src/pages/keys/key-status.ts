import type { SignedInSession } from '../../data/session.ts';
import type { DisplayStatus } from '../../ui/status.tsx';
import type { KeyResource } from './key-data.ts';
import { keysText } from './text.ts';

const DAY_MS = 86_400_000;
const SOON_MS = 7 * DAY_MS;
const UNUSED_MS = 90 * DAY_MS;

/** The icon and the label of a key that needs attention. */
export interface KeyStatusDisplay {
  readonly state: DisplayStatus;
  readonly word: string;
}

/**
 * Returns the icon and label of a key that is revoked, has expired, will expire within seven days, or is being
 * rotated. Returns null for other keys.
 */
export function getKeyStatusDisplay(key: KeyResource, now: Date): KeyStatusDisplay | null {
  if (key.status === 'revoked') return { state: 'blocked', word: keysText.status.revoked };
  if (key.status === 'expired') return { state: 'paused', word: keysText.status.expired };
  if (expiresSoon(key, now)) return { state: 'warning', word: keysText.status.expiring };
  if (isRotating(key, now)) return { state: 'partial', word: keysText.status.rotating };
  return null;
}

/** Returns whether the old value of a rotated key is still valid. */
export function isRotating({ previous }: KeyResource, now: Date): boolean {
  return previous !== null && Date.parse(previous.expires_at) > now.getTime();
}

/**
 * Whether the key expires within seven days. Ignores keys with a total lifetime of less than seven days, such
 * as playground keys.
 */
function expiresSoon({ status, created_at, expires_at }: KeyResource, now: Date): boolean {
  if (status !== 'active' || expires_at === null) return false;
  const end = Date.parse(expires_at);
  return end - now.getTime() < SOON_MS && end - Date.parse(created_at) >= SOON_MS;
}

/** Whether an active key was not used in the last 90 days. */
function isUnused({ status, last_used_at, created_at }: KeyResource, now: Date): boolean {
  return status === 'active' && now.getTime() - Date.parse(last_used_at ?? created_at) > UNUSED_MS;
}

/**
 * Returns whether the key was used in the last 24 hours. To revoke such a key, the user must type its name.
 */
export function isRecentlyUsed({ last_used_at }: KeyResource, now: Date): boolean {
  return last_used_at !== null && now.getTime() - Date.parse(last_used_at) < DAY_MS;
}

/** Returns whether a member may change the key: they own it, or they created it and it has no owner. */
export function canChangeKey(
  { owner, created_by }: KeyResource,
  { user, member_id }: SignedInSession,
): boolean {
  return owner === null ? created_by === member_id : owner === user.email;
}

const HOUR_MS = 3_600_000;

/**
 * Returns whether the console created the key for itself, for example for the playground. Such keys have a
 * generated name and are valid for one hour.
 */
export function isConsoleKey({ name, created_at, expires_at }: KeyResource): boolean {
  if (expires_at === null || !/(^|-)console-[a-z0-9]{4}$/.test(name)) return false;
  return Date.parse(expires_at) - Date.parse(created_at) <= HOUR_MS + 60_000;
}

/** The filters of the key list. The URL parameter `show` selects one. */
export const KEY_FILTERS = [
  { id: 'active', label: keysText.filters.active },
  { id: 'expiring', label: keysText.filters.expiring },
  { id: 'unused', label: keysText.filters.unused },
  { id: 'unbounded', label: keysText.filters.unbounded },
  { id: 'ended', label: keysText.filters.ended },
  { id: 'all', label: keysText.filters.all },
] as const;

/** The ID of a filter of the key list. */
export type KeyFilter = (typeof KEY_FILTERS)[number]['id'];

/** Returns the filter that the URL parameter selects. Missing and unknown values select the active keys. */
export function parseKeyFilter(parameter: string | null): KeyFilter {
  return KEY_FILTERS.find(({ id }) => id === parameter)?.id ?? 'active';
}

/**
 * Returns whether the filter includes the key.
 * @param hasLimit Whether a limit or budget applies to the key.
 */
export function matchesKeyFilter(key: KeyResource, filter: KeyFilter, now: Date, hasLimit: boolean): boolean {
  if (filter === 'active') return key.status === 'active';
  if (filter === 'unbounded') return key.status === 'active' && !hasLimit;
  if (filter === 'expiring') return expiresSoon(key, now);
  if (filter === 'unused') return isUnused(key, now);
  return filter === 'all' || key.status !== 'active';
}

/** The lifetimes that the user can select for a new key. */
export const KEY_LIFETIMES = [
  { value: '30', label: keysText.expiries['30'] },
  { value: '90', label: keysText.expiries['90'] },
  { value: '365', label: keysText.expiries['365'] },
  { value: 'never', label: keysText.expiries.never },
] as const;

/** Returns the expiry time for one of the `KEY_LIFETIMES`, or null for a key that never expires. */
export function toExpiryTime(choice: string, now: Date): string | null {
  const days = Number(choice);
  return Number.isFinite(days) ? new Date(now.getTime() + days * DAY_MS).toISOString() : null;
}

/**
 * Parses model patterns separated by lines, spaces or commas. Returns null for empty text, which allows all
 * models.
 */
export function parseModelPatterns(typed: string): string[] | null {
  const found = typed.split(/[\s,]+/).filter(Boolean);
  return found.length === 0 ? null : found;
}
