import { hash } from 'node:crypto';
import { canonicalObject } from '@floe/wire/canonical';
import type { Ask } from '../ask.ts';
import type { Target } from '../catalog.ts';
import type { Exchange } from '../exchange-record.ts';
import type { CacheRules } from './rules.ts';

/** How an answer travels is no part of what is asked; `model` stands in the key as the target it resolved to. */
const NOT_ASKED: ReadonlySet<string> = new Set(['stream', 'stream_options', 'model']);
/** Telling longer bodies apart would hold up everybody else for longer than a millisecond or two. */
const BODY_BYTES = 512 * 1024;

/**
 * Names everything an answer depends on: scope, endpoint, target, credential, the rules in force and the whole
 * meaning of the body. The org is the store's part. Null for a request that cannot be told from others.
 */
export function fingerprint(x: Exchange, ask: Ask, target: Target, rules: CacheRules): string | null {
  const { caller, surface, client, course } = x;
  if (ask.body.length > BODY_BYTES) return null;
  const body = canonicalObject(ask.body, NOT_ASKED);
  if (body === null) return null;
  const { provider, credential, model } = target;
  const parts = [
    rules.version,
    rules.scope === 'key' ? caller.key.id : '',
    surface.name,
    surface.routeMode,
    surface.ide ? caller.catalog.ide.freeformTools : '',
    surface.forwarded.map((name) => client.headers[name] ?? null),
    provider.origin,
    provider.pathOf(provider.dialectFor(model), provider.upstreamModel(model), false),
    provider.sealOrigin(credential),
    provider.body,
    model,
    // A Responses or Chat answer repeats the id that was asked for.
    ask.model,
    course?.chatReasoning ?? '',
    body,
  ];
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
