import { isJsonObject } from '@floe/contract/json';
import { getSetting, storeSetting } from './settings.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

/**
 * A breaker state that is forced for a provider, credential and model until a given time.
 */
export interface StoredForcedBreakerState {
  readonly orgId: string;
  readonly provider: string;
  readonly credential: string;
  readonly model: string;
  readonly state: 'open' | 'closed';
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly reason: string;
  /** Who forced it: the id of a member or the name of a key. */
  readonly by: string;
}

const SETTING_NAME = 'breakers.forced';

/** Returns all organizations' forced states that have not expired. */
export async function listForcedBreakerStates(
  reader: DatabaseReader,
  now: number,
): Promise<readonly StoredForcedBreakerState[]> {
  const value = await getSetting(reader, SETTING_NAME);
  const parsed: unknown = value === undefined ? [] : JSON.parse(value);
  return Array.isArray(parsed) ? parsed.flatMap(parseForcedBreaker).filter(({ until }) => until > now) : [];
}

/** Replaces the whole list of forced states. Must run in the transaction that read the list. */
export function replaceForcedBreakerStates(
  writer: DatabaseWriter,
  forced: readonly StoredForcedBreakerState[],
): Promise<void> {
  return storeSetting(writer, SETTING_NAME, JSON.stringify(forced));
}

function parseForcedBreaker(entry: unknown): StoredForcedBreakerState[] {
  if (!isJsonObject(entry)) return [];
  const { orgId, provider, credential, model, state, until, reason, by } = entry;
  const texts = { orgId, provider, credential, model, reason, by };
  if (!areStrings(texts) || typeof until !== 'number' || (state !== 'open' && state !== 'closed')) return [];
  return [{ ...texts, state, until }];
}

interface ForcedBreakerTexts {
  readonly orgId: string;
  readonly provider: string;
  readonly credential: string;
  readonly model: string;
  readonly reason: string;
  readonly by: string;
}

function areStrings(
  values: Record<keyof ForcedBreakerTexts, unknown>,
): values is Record<keyof ForcedBreakerTexts, string> {
  return Object.values(values).every((value) => typeof value === 'string');
}
