import { model, modelQuery } from '@floe/contract/api/models';
import { page } from '@floe/contract/api/page';
import type * as z from 'zod';
import type { Catalog, Route } from '../../gateway/catalog.ts';
import { pricesOf } from '../../gateway/lists.ts';
import type { KeyRecord } from '../../platform/keyring.ts';
import { keyRecordOf } from '../../platform/stored-key.ts';
import type { Provider } from '../../providers/configured.ts';
import type { ListedModel } from '../../providers/model-list.ts';
import { allKeys } from '../../store/platform-keys.ts';
import { listPage } from '../list-page.ts';
import type { RunningOrgs } from '../running-org.ts';
import { readVerb, type Verb } from '../verb.ts';

const NAMES_SHOWN = 20;

type ModelView = z.input<typeof model>;

/** What the verb reads of the running gateway. */
export interface ModelParts {
  readonly orgs: RunningOrgs;
  /** The models of a provider as lists show them. */
  readonly models: (provider: Provider) => readonly ListedModel[];
}

/** Everything that may be asked for, by whom, at what price. */
export function listModels({ orgs, models }: ModelParts): Verb {
  return readVerb({
    name: 'models.list',
    method: 'GET',
    path: '/api/management/models',
    scope: 'management',
    summary:
      'List what callers may name as model: source, prices with their date, aliases, and the keys that may use it',
    query: modelQuery,
    answer: page(model),
    async run({ orgId, reader, clock }, { query }) {
      const now = clock.now();
      const { catalog } = orgs(orgId);
      const keys = (await allKeys(reader))
        .filter(({ org_id }) => org_id === orgId)
        .map(keyRecordOf)
        .filter((key) => isWorking(key, now))
        .sort((one, other) => (one.name < other.name ? -1 : 1));
      const asked = query.key === undefined ? undefined : keys.find(({ id }) => id === query.key);
      const all = [
        ...[...catalog.providers.values()].flatMap((provider) =>
          models(provider).map((listed) => modelView(provider, listed, { catalog, keys, now })),
        ),
        ...catalog.routes
          .filter((route) => isAlias(route, catalog.providers))
          .map((route) => aliasView(route, keys)),
      ].filter(
        ({ id, provider }) =>
          (query.provider === undefined || provider === query.provider) &&
          (query.key === undefined || (asked !== undefined && mayUse(asked, id))),
      );
      return listPage(all, ({ id }) => ({ id }), query);
    },
  });
}

function isWorking({ revokedAt, expiresAt, scopes }: KeyRecord, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now) && scopes.has('gateway');
}

function mayUse({ models }: KeyRecord, id: string): boolean {
  return models === null || models(id);
}

/** What an org has at a time. */
interface OrgNow {
  readonly catalog: Catalog;
  readonly keys: readonly KeyRecord[];
  readonly now: number;
}

function modelView(provider: Provider, listed: ListedModel, { catalog, keys, now }: OrgNow): ModelView {
  const { routes, providers } = catalog;
  const id = `${provider.id}/${listed.id}`;
  const own = routes.find((route) => route.matches(id));
  return {
    id,
    kind: 'model',
    provider: provider.id,
    model: listed.id,
    listed_by: provider.models.includes(listed.id) ? 'allowlist' : 'provider',
    targets: [...(own?.targets ?? [])],
    aliases: routes
      .filter((route) => isAlias(route, providers) && route.targets.includes(id))
      .map((route) => route.model),
    context_window: listed.contextWindow,
    output_most: listed.outputMost,
    prices: shownPrices(provider, listed.id, now),
    keys: keysView(keys, id),
  };
}

function shownPrices(provider: Provider, name: string, now: number): ModelView['prices'] {
  const prices = pricesOf(provider.priceOf(name), now);
  return prices && { ...prices, tiers: prices.tiers.map((tier) => ({ ...tier })) };
}

/** A name of its own, no model id and no pattern. */
function isAlias({ model: name, targets }: Route, providers: Catalog['providers']): boolean {
  const [first = ''] = name.split('/', 1);
  return targets.length > 0 && !name.includes('*') && !(name.includes('/') && providers.has(first));
}

function aliasView({ model: id, targets }: Route, keys: readonly KeyRecord[]): ModelView {
  return {
    id,
    kind: 'alias',
    provider: null,
    model: null,
    listed_by: 'route',
    targets: [...targets],
    aliases: [],
    context_window: null,
    output_most: null,
    prices: null,
    keys: keysView(keys, id),
  };
}

function keysView(keys: readonly KeyRecord[], id: string): ModelView['keys'] {
  const able = keys.filter((key) => mayUse(key, id));
  return { count: able.length, names: able.slice(0, NAMES_SHOWN).map(({ name }) => name) };
}
