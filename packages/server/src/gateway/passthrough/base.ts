import { Fault } from '@floe/contract/faults';
import type { KeyRecord } from '../../platform/keyring.ts';
import type { Provider } from '../../providers/configured.ts';
import {
  type Course,
  DEFAULT_RETRIES,
  type PassthroughTarget,
  type Target,
  targetOf,
  targetsOf,
} from '../catalog.ts';
import type { Asking, Base } from '../opaque/base.ts';
import type { Style } from '../opaque/resource-path.ts';
import { settingsFor } from '../opaque/route-settings.ts';
import { nativePath } from './native-path.ts';

/** The native APIs as they are, of whoever the org put behind them. */
export const PASSTHROUGH_A = passthroughBase('a');
export const PASSTHROUGH_B = passthroughBase('b');

function passthroughBase(style: Style): Base {
  return {
    style,
    routeMode: `passthrough-${style}`,
    faultShape: style === 'a' ? 'openai' : 'anthropic',
    mount: `/gateway/passthrough-${style}`,
    lead: ['v1'],
    passesFailures: true,
    course: (asking) => passthroughCourse(style, asking),
    repeats: (method, collection) => method === 'POST' && isRepeatable(collection),
    allows: (provider, key, model) => mayUse(provider, key, model),
    pathAt: ({ provider, model }, segments) =>
      nativePath(provider, style, segments, provider.upstreamModel(model)),
  };
}

/** Whether the org and the key allow a model, by the id the provider knows. */
export function mayUse(provider: Provider, key: KeyRecord, model: string): boolean {
  return provider.allows(model) && (key.models === null || key.models(`${provider.id}/${model}`));
}

function passthroughCourse(style: Style, asking: Asking): Course {
  const { catalog, owner, model } = asking;
  const behind = catalog.passthrough[style];
  if (behind.length === 0)
    throw new Fault(
      'not_found',
      `No provider is behind this address. Name one in floe.yaml: passthrough: { ${style}: <provider id> }.`,
    );
  const reachable = owner ? behind.filter(({ provider }) => provider.id === owner.provider) : behind;
  if (reachable.length === 0)
    throw new Fault('not_found', 'What this request names is at a provider no longer behind this address.');
  return model === null ? courseWithoutModel(asking, reachable) : courseFor(asking, model, reachable);
}

/** Things live at one provider and in one account: nothing is tried elsewhere, and only reading is tried again. */
function courseWithoutModel(
  { catalog, owner, client }: Asking,
  [first]: readonly PassthroughTarget[],
): Course {
  if (!first) throw new Error('a provider was found before');
  const { provider } = first;
  const { timeouts } = settingsFor(catalog, `${provider.id}/`);
  const reads = client.method === 'GET' || client.method === 'HEAD';
  return course(
    [targetOf(provider, '', timeouts, provider.credential(owner?.credential))],
    reads ? DEFAULT_RETRIES : 0,
    owner ? 'who made what the request names' : 'the first provider behind the address',
  );
}

function courseFor(
  { catalog, key, owner }: Asking,
  model: string,
  behind: readonly PassthroughTarget[],
): Course {
  const known = behind.map(({ provider, modelMap }) => ({ provider, id: modelMap.get(model) ?? model }));
  const enabled = known.filter(({ provider, id }) => provider.allows(id));
  if (enabled.length === 0)
    throw new Fault(
      'model_not_found',
      `The model "${model.slice(0, 200)}" is not on the allowlist of ${known.map(({ provider }) => provider.id).join(', ')}.`,
      { param: 'model', notAllowlisted: true },
    );
  const open = enabled.filter(({ provider, id }) => mayUse(provider, key, id));
  if (open.length === 0)
    throw new Fault('model_not_allowed', `This key may not use the model "${model.slice(0, 200)}".`, {
      param: 'model',
    });
  const targets = open.flatMap(({ provider, id }): Target[] => {
    const { timeouts } = settingsFor(catalog, `${provider.id}/${id}`);
    if (owner) return [targetOf(provider, id, timeouts, provider.credential(owner.credential))];
    return targetsOf(provider, id, timeouts, 1);
  });
  const [first] = open;
  const { retries } = settingsFor(catalog, `${first?.provider.id}/${first?.id}`);
  return course(targets, retries, 'the providers behind the address, in order');
}

/** An answer may be asked for twice; a thing that was made twice stays. */
function isRepeatable(collection: string | null): boolean {
  return collection === null || collection === 'responses' || collection === 'chat/completions';
}

function course(targets: readonly Target[], retries: number, because: string): Course {
  return {
    targets,
    retries,
    chatReasoning: 'forward',
    cache: undefined,
    strategy: 'failover',
    rescue: 'error',
    because,
    skipped: [],
    conversation: null,
  };
}
