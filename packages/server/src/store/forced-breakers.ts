import { isObject } from '@floe/contract/json';
import type { Reader, Writer } from './ports.ts';
import { putSetting, settingValue } from './settings.ts';

/** A state an operator forces on the breaker of one provider + credential + model, until it expires. */
export interface ForcedBreaker {
  readonly orgId: string;
  readonly provider: string;
  readonly credential: string;
  readonly model: string;
  readonly state: 'open' | 'closed';
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly reason: string;
  /** Who forced it: the address of a member or the name of a key. */
  readonly by: string;
}

const NAME = 'breakers.forced';

/** Those that have not expired, of every org. */
export async function forcedBreakers(reader: Reader, now: number): Promise<readonly ForcedBreaker[]> {
  const value = await settingValue(reader, NAME);
  const parsed: unknown = value === undefined ? [] : JSON.parse(value);
  return Array.isArray(parsed) ? parsed.flatMap(read).filter(({ until }) => until > now) : [];
}

/** Replaces the whole list; belongs in the transaction that read it. */
export function putForcedBreakers(writer: Writer, forced: readonly ForcedBreaker[]): Promise<void> {
  return putSetting(writer, NAME, JSON.stringify(forced));
}

function read(entry: unknown): ForcedBreaker[] {
  if (!isObject(entry)) return [];
  const { orgId, provider, credential, model, state, until, reason, by } = entry;
  const texts = { orgId, provider, credential, model, reason, by };
  if (!areTexts(texts) || typeof until !== 'number' || (state !== 'open' && state !== 'closed')) return [];
  return [{ ...texts, state, until }];
}

interface Texts {
  readonly orgId: string;
  readonly provider: string;
  readonly credential: string;
  readonly model: string;
  readonly reason: string;
  readonly by: string;
}

function areTexts(values: Record<keyof Texts, unknown>): values is Record<keyof Texts, string> {
  return Object.values(values).every((value) => typeof value === 'string');
}
