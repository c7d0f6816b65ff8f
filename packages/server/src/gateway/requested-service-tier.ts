import { parseServiceTier } from '@floe/wire/billed-unit-counts';
import { readStringAt } from '@floe/wire/json-edits';
import type { ClientRequest } from './client-request.ts';

/**
 * Returns the requested service tier, as price lists name it; undefined if the request leaves the
 * choice to the provider.
 */
export function findRequestedServiceTier(
  prompt: Pick<ClientRequest, 'body' | 'members'> | null,
): string | undefined {
  if (prompt === null) return undefined;
  const { body, members } = prompt;
  const speed = members.get('speed');
  if (speed && readStringAt(body, speed) === 'fast') return 'fast';
  const tier = members.get('service_tier') ?? members.get('serviceTier');
  return tier && parseServiceTier(readStringAt(body, tier));
}
