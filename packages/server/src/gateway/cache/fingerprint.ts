import { hash } from 'node:crypto';
import { canonicalizeJsonObject } from '@floe/wire/canonical-json';
import { buildForwardedQuery } from '../client-query.ts';
import type { ClientRequest } from '../client-request.ts';
import type { Exchange } from '../exchange-record.ts';
import type { Target } from '../org-catalog.ts';
import type { CacheSettings } from './cache-settings.ts';

/** Members that do not affect the content of a response. `model` is part of the fingerprint as its target. */
const IGNORED_MEMBERS: ReadonlySet<string> = new Set(['stream', 'stream_options', 'model']);
/**
 * Maximum length of a body with a fingerprint. For a longer one, the computation would block the event loop
 * for more than one or two milliseconds.
 */
const MAX_FINGERPRINTED_BYTES = 512 * 1024;

/**
 * Computes a hash over everything that determines a response: cache scope, endpoint, target, credential or signing
 * identity, configured headers, cache settings and body content. The cache store adds the organization. Returns null if
 * no reliable fingerprint can be computed.
 */
export function computeRequestFingerprint(
  x: Exchange,
  prompt: ClientRequest,
  target: Target,
  rules: CacheSettings,
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
    provider.headersFor(credential),
    provider.signingFor(credential)?.key ?? '',
    provider.body,
    model,
    // A Responses or Chat response contains the requested model id.
    prompt.model,
    route?.chatReasoning ?? '',
    body,
  ];
  const query = buildForwardedQuery(x);
  if (query !== '') parts.push(query);
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
