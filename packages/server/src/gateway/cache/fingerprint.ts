import { hash } from 'node:crypto';
import { canonicalizeJsonObject } from '@floe/wire/canonical-json';
import type { Target } from '../catalog.ts';
import type { ClientRequest } from '../client-request.ts';
import type { Exchange } from '../exchange-record.ts';
import type { CacheRules } from './cache-rules.ts';

/** How an answer travels is no part of what is asked; `model` stands in the key as the target it resolved to. */
const IGNORED_MEMBERS: ReadonlySet<string> = new Set(['stream', 'stream_options', 'model']);
/** Telling longer bodies apart would hold up everybody else for longer than a millisecond or two. */
const MAX_FINGERPRINTED_BYTES = 512 * 1024;

/**
 * Names everything an answer depends on: scope, endpoint, target, credential, the rules in force and the whole
 * meaning of the body. The org is the store's part. Null for a request that cannot be told from others.
 */
export function computeFingerprint(
  x: Exchange,
  prompt: ClientRequest,
  target: Target,
  rules: CacheRules,
): string | null {
  const { caller, surface, client, route } = x;
  if (prompt.body.length > MAX_FINGERPRINTED_BYTES) return null;
  const body = canonicalizeJsonObject(prompt.body, IGNORED_MEMBERS);
  if (body === null) return null;
  const { provider, credential, model } = target;
  const parts = [
    rules.version,
    rules.scope === 'key' ? caller.key.id : '',
    surface.name,
    surface.routeMode,
    surface.ide ? caller.catalog.ide.freeformTools : '',
    surface.forwardedHeaders.map((name) => client.headers[name] ?? null),
    provider.origin,
    provider.pathOf(provider.dialectFor(model), provider.upstreamModel(model), false),
    provider.sealOrigin(credential),
    provider.body,
    model,
    // A Responses or Chat answer repeats the id that was asked for.
    prompt.model,
    route?.chatReasoning ?? '',
    body,
  ];
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
