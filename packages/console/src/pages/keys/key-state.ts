import type { KeyScope } from '@floe/contract/scopes';
import type { SignedIn } from '../../data/session.ts';
import type { DisplayStatus } from '../../ui/status.tsx';
import type { Key } from './key-data.ts';

const DAY_MS = 86_400_000;
const SOON_MS = 7 * DAY_MS;
const QUIET_MS = 90 * DAY_MS;

/** How a key stands, with the word that says so; null for one that simply works. */
export interface Standing {
  readonly state: DisplayStatus;
  readonly word: string;
}

/** What needs attention about a key: it ended, it will soon, or two values of it work. */
export function standingOf(key: Key, now: Date): Standing | null {
  if (key.status === 'revoked') return { state: 'blocked', word: 'Revoked' };
  if (key.status === 'expired') return { state: 'paused', word: 'Expired' };
  if (endsSoon(key, now)) return { state: 'warning', word: 'Ends soon' };
  if (isRotating(key, now)) return { state: 'partial', word: 'Rotating' };
  return null;
}

/** True while the value before the last rotation still works. */
export function isRotating({ previous }: Key, now: Date): boolean {
  return previous !== null && Date.parse(previous.expires_at) > now.getTime();
}

/** A key that was made for less than that, such as one of the playground, ends as it was meant to. */
function endsSoon({ status, created_at, expires_at }: Key, now: Date): boolean {
  if (status !== 'active' || expires_at === null) return false;
  const end = Date.parse(expires_at);
  return end - now.getTime() < SOON_MS && end - Date.parse(created_at) >= SOON_MS;
}

/** An active key that nobody used for 90 days, or never since it was made 90 days ago. */
function isUnused({ status, last_used_at, created_at }: Key, now: Date): boolean {
  return status === 'active' && now.getTime() - Date.parse(last_used_at ?? created_at) > QUIET_MS;
}

/** Used in the last 24 hours: whoever revokes it types its name. */
export function isInUse({ last_used_at }: Key, now: Date): boolean {
  return last_used_at !== null && now.getTime() - Date.parse(last_used_at) < DAY_MS;
}

/** True for a key that a mere member may change: they own it, or made it for nobody. */
export function isOwn({ owner, created_by }: Key, { user, member_id }: SignedIn): boolean {
  return owner === null ? created_by === member_id : owner === user.email;
}

const HOUR_MS = 3_600_000;

/** True for what the console made to ask models itself, as the playground does: an hour long, and named for it. */
export function isOfConsole({ name, created_at, expires_at }: Key): boolean {
  if (expires_at === null || !/(^|-)console-[a-z0-9]{4}$/.test(name)) return false;
  return Date.parse(expires_at) - Date.parse(created_at) <= HOUR_MS + 60_000;
}

/** The lists of the page, by the `show=` of its URL. */
export const SHOWN = [
  { id: 'active', label: 'Active' },
  { id: 'expiring', label: 'Ending soon' },
  { id: 'unused', label: 'Unused 90 d' },
  { id: 'unbounded', label: 'No limit or budget' },
  { id: 'ended', label: 'Ended' },
  { id: 'all', label: 'All' },
] as const;

export type Shown = (typeof SHOWN)[number]['id'];

export function shownOf(text: string | null): Shown {
  return SHOWN.find(({ id }) => id === text)?.id ?? 'active';
}

/** @param bounded whether a limit or budget is about the key */
export function isShown(key: Key, shown: Shown, now: Date, bounded: boolean): boolean {
  if (shown === 'active') return key.status === 'active';
  if (shown === 'unbounded') return key.status === 'active' && !bounded;
  if (shown === 'expiring') return endsSoon(key, now);
  if (shown === 'unused') return isUnused(key, now);
  return shown === 'all' || key.status !== 'active';
}

/** Each scope in a sentence. */
export const SCOPE_WORDS: Readonly<Record<KeyScope, string>> = {
  gateway: 'Send requests to models: what spends money.',
  monitoring: 'Make and change monitors, boards, channels and maintenance; send beats.',
  beat: 'Send beats, and nothing else: for a job.',
  relay: 'Ask the relay what an agent may do.',
  management: 'Change providers, routes, limits, keys and members.',
  read: 'Read everything the API tells, change nothing.',
};

/** How long a new key works. `never` is said to be the worse choice. */
export const EXPIRIES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'never', label: 'Never ends' },
] as const;

/** The moment a choice of `EXPIRIES` stands for. */
export function expiryOf(choice: string, now: Date): string | null {
  const days = Number(choice);
  return Number.isFinite(days) ? new Date(now.getTime() + days * DAY_MS).toISOString() : null;
}

/** Patterns as people write them: one on a line, or with commas; nothing is no limit. */
export function patternsOf(text: string): string[] | null {
  const found = text.split(/[\s,]+/).filter(Boolean);
  return found.length === 0 ? null : found;
}
