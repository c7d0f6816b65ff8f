import { Fault } from '@floe/contract/faults';
import type { Credential, Provider } from '../providers/configured.ts';

/** The gateway's slice of an org in the snapshot: what may be asked and how answers are treated. */
export interface Catalog {
  readonly providers: ReadonlyMap<string, Provider>;
  /** Whether Chat answers keep the provider's reasoning text (specification, Endpoints rule 6). */
  readonly chatReasoning: 'strip' | 'forward';
  /** Request headers that name the end user, first one wins; lower case. */
  readonly userHeaders: readonly string[];
}

/** An org that left floe.yaml: its keys still say who they are, and there is nothing to ask. */
export const EMPTY_CATALOG: Catalog = { providers: new Map(), chatReasoning: 'strip', userHeaders: [] };

/** Where a request goes: provider, model and credential. */
export interface Target {
  readonly provider: Provider;
  /** The provider's bare model id. */
  readonly model: string;
  readonly credential: Credential;
}

/** Splits `<provider>/<model>` at the first slash; everything after it, slashes included, is the model. */
export function splitModelId(id: string): { provider: string; model: string } | undefined {
  const slash = id.indexOf('/');
  return slash <= 0 || slash === id.length - 1
    ? undefined
    : { provider: id.slice(0, slash), model: id.slice(slash + 1) };
}

/**
 * The targets a model id stands for, in the order to try them. Throws `model_not_found` when the id is
 * not enabled and allowlisted in the org, `model_not_allowed` when this key may not use it.
 */
export function resolveTargets(catalog: Catalog, mayUse: (id: string) => boolean, id: string): Target[] {
  const provider = providerOf(catalog, id);
  if (!mayUse(id))
    throw new Fault('model_not_allowed', `This key may not use the model "${id}".`, { param: 'model' });
  return [{ provider, model: id.slice(provider.id.length + 1), credential: provider.nextCredential() }];
}

function providerOf(catalog: Catalog, id: string): Provider {
  const parts = splitModelId(id);
  if (!parts) throw notFound(id, `Model ids have the form <provider>/<model>; ${knownProviders(catalog)}`);
  const provider = catalog.providers.get(parts.provider);
  if (!provider)
    throw notFound(id, `The provider "${parts.provider}" is not enabled; ${knownProviders(catalog)}`);
  if (!provider.allows(parts.model))
    throw notFound(id, `The model is not on the allowlist of "${parts.provider}".`);
  return provider;
}

function notFound(id: string, why: string): Fault {
  const shown = id.length > 200 ? `${id.slice(0, 200)}…` : id;
  return new Fault('model_not_found', `The model "${shown}" is not available here. ${why}`, {
    param: 'model',
  });
}

function knownProviders(catalog: Catalog): string {
  return `enabled providers: ${[...catalog.providers.keys()].join(', ') || 'none'}.`;
}
