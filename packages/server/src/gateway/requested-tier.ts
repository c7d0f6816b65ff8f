import { readString } from '@floe/wire/splice';
import { tierOf } from '@floe/wire/units';
import type { Ask } from './ask.ts';

/** The service tier a request asks for, as prices name it; undefined where it leaves that to the provider. */
export function requestedTier(ask: Pick<Ask, 'body' | 'members'> | null): string | undefined {
  if (ask === null) return undefined;
  const { body, members } = ask;
  const speed = members.get('speed');
  if (speed && readString(body, speed) === 'fast') return 'fast';
  const tier = members.get('service_tier') ?? members.get('serviceTier');
  return tier && tierOf(readString(body, tier));
}
