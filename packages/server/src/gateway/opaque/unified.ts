import { Fault } from '@floe/contract/faults';
import type { KeyRecord } from '../../platform/keyring.ts';
import type { Provider } from '../../providers/configured.ts';
import type { Offer } from '../../providers/provider.ts';
import { type Course, DEFAULT_RETRIES, resolveCourse, splitModelId, targetOf } from '../catalog.ts';
import type { Asking, Base } from './base.ts';
import { settingsFor } from './route-settings.ts';

/** Paths below `/gateway/v1` that pass without being understood, to providers that offer them. */
export const UNIFIED: Base = {
  style: 'a',
  routeMode: 'unified',
  faultShape: 'openai',
  mount: '/gateway/v1',
  lead: [],
  passesFailures: false,
  course: (asking) => (asking.model === null ? withoutModel(asking) : withModel(asking, asking.model)),
  repeats: (method, collection) => method === 'POST' && collection === null,
  allows: mayUse,
  pathAt: ({ provider, model }, segments) => provider.opaquePath(segments.join('/'), model),
};

/** In a body that passes unread, models are written as the provider knows them, or as `<provider>/<model>`. */
function mayUse(provider: Provider, key: KeyRecord, model: string): boolean {
  const named = splitModelId(model);
  const bare = named?.provider === provider.id ? named.model : model;
  return provider.allows(bare) && (key.models === null || key.models(`${provider.id}/${bare}`));
}

function withModel({ catalog, key, meaning, owner }: Asking, model: string): Course {
  const course = resolveCourse(catalog, key.models ?? (() => true), model);
  const offering = course.targets.filter(({ provider }) => offers(provider, meaning.surface));
  if (offering.length === 0)
    throw new Fault(
      'unsupported_parameter',
      `${course.targets.map(({ provider }) => provider.id).join(', ')} does not offer ${meaning.surface}.`,
      { param: 'model' },
    );
  const targets = owner
    ? offering
        .filter(({ provider }) => provider.id === owner.provider)
        .map((target) => ({ ...target, credential: target.provider.credential(owner.credential) }))
    : offering;
  if (targets.length === 0)
    throw new Fault('not_found', `What this request names is not at the provider of "${model}".`);
  return { ...course, targets };
}

/** Where nothing names a model, the maker of what is named says the provider, else the header `x-floe-provider`. */
function withoutModel({ catalog, client, meaning, owner }: Asking): Course {
  const header = client.headers['x-floe-provider'];
  const id = owner?.provider ?? (typeof header === 'string' ? header : undefined);
  if (id === undefined)
    throw new Fault(
      'missing_required_parameter',
      `Nothing in this request names a model; say whose ${meaning.surface} are meant with the header x-floe-provider.`,
      { param: 'x-floe-provider' },
    );
  const provider = catalog.providers.get(id);
  if (!provider || !offers(provider, meaning.surface))
    throw new Fault(
      'not_found',
      provider
        ? `The provider "${id}" does not offer ${meaning.surface}.`
        : `The provider "${id.slice(0, 100)}" is not enabled; enabled providers: ${[...catalog.providers.keys()].join(', ') || 'none'}.`,
      { param: 'x-floe-provider' },
    );
  const { timeouts } = settingsFor(catalog, `${provider.id}/`);
  const reads = client.method === 'GET' || client.method === 'HEAD';
  return {
    targets: [targetOf(provider, '', timeouts, provider.credential(owner?.credential))],
    retries: reads ? DEFAULT_RETRIES : 0,
    chatReasoning: 'forward',
    cache: undefined,
    strategy: 'failover',
    rescue: 'error',
    because: owner ? 'who made what the request names' : 'the header x-floe-provider',
    skipped: [],
    conversation: null,
  };
}

function offers({ sheet }: Provider, surface: string): boolean {
  return sheet.offers?.some((offer: Offer) => offer === surface) ?? false;
}
