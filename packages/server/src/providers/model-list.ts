import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { sendBufferedRequest } from './buffered-request.ts';
import type { Provider, ProviderCredential } from './configured-provider.ts';
import { type ListedModel, parseModelListPage } from './model-list-page.ts';
import type { UpstreamRequest, UpstreamTransport } from './transport.ts';
import { buildUpstreamRequest } from './upstream-request.ts';

const REFRESH_INTERVAL_MS = 10 * 60 * 1000;
/** Limits for reading one page of a list. */
const LIMITS = { timeoutMs: 30_000, maxBytes: 16 * 1024 * 1024, requiredStatus: 200 };
/** Maximum number of pages. A page has up to a thousand models if the provider accepts a page size. */
const MAX_LIST_PAGES = 20;

export type { ListedModel } from './model-list-page.ts';

/**
 * The models in the providers' own model lists. The lists are read in the background. If a list cannot be
 * read, its previous version is used.
 */
export interface ModelLists {
  /**
   * Sets the providers whose lists are read. Reads the lists of providers that were not watched before; all
   * others keep their schedule.
   */
  watch(providers: readonly Provider[]): void;
  modelsOf(provider: Provider): readonly ListedModel[];
  /** Returns the maximum output tokens of a model; null if the provider's list does not contain them. */
  maxOutputTokens(provider: Provider, model: string): number | null;
  close(): void;
}

/**
 * Creates the model lists. For each provider with an open allowlist (`*`), the list is read
 * immediately and then every 10 minutes.
 */
export function createModelLists(transport: UpstreamTransport, clock: Clock, log: Log): ModelLists {
  const lists = new Map<string, readonly ListedModel[]>();
  const outputs = new Map<string, ReadonlyMap<string, number>>();
  let watched: readonly Provider[] = [];
  let timer: Timer | null = null;
  let closed = false;

  const keyOf = (provider: Provider) =>
    `${provider.definition.kind} ${provider.origin} ${provider.modelLists.map(({ path }) => path).join(' ')}`;

  async function refresh(): Promise<void> {
    timer = null;
    await Promise.all(watched.map(read));
    scheduleRefresh();
  }

  function scheduleRefresh(): void {
    if (closed || watched.length === 0) return;
    timer ??= clock.after(REFRESH_INTERVAL_MS, () => void refresh());
  }

  async function read(provider: Provider): Promise<void> {
    try {
      const models = await fetchModelLists(transport, clock, provider);
      lists.set(keyOf(provider), models);
      outputs.set(keyOf(provider), outputLimits(models));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn(
        { provider: provider.id, reason },
        'model list could not be read; the previous list, if any, remains in use',
      );
    }
  }

  return {
    watch(providers) {
      const before = new Set(watched);
      watched = providers.filter(
        (provider) => provider.modelLists.length > 0 && provider.models.some((model) => model.includes('*')),
      );
      void Promise.all(watched.filter((provider) => !before.has(provider)).map(read)).then(scheduleRefresh);
    },
    maxOutputTokens: (provider, model) => outputs.get(keyOf(provider))?.get(model) ?? null,
    modelsOf: (provider) =>
      lists.get(keyOf(provider)) ?? (provider.definition.knownModels ?? []).map(unlistedModel),
    close() {
      closed = true;
      timer?.cancel();
    },
  };
}

function outputLimits(models: readonly ListedModel[]): ReadonlyMap<string, number> {
  return new Map(
    models.flatMap(({ id, maxOutputTokens }) => (maxOutputTokens === null ? [] : [[id, maxOutputTokens]])),
  );
}

function unlistedModel(id: string): ListedModel {
  return { id, created: 0, ownedBy: '', contextWindow: null, maxOutputTokens: null };
}

/**
 * Combines all lists of a provider. If several lists contain a model, the first entry is used. Lists that
 * cannot be read are omitted.
 */
async function fetchModelLists(
  transport: UpstreamTransport,
  clock: Clock,
  provider: Provider,
): Promise<ListedModel[]> {
  const models = new Map<string, ListedModel>();
  for (const list of provider.modelLists)
    for (const model of await fetchModelList(transport, clock, provider, list))
      if (
        !models.has(model.id) &&
        provider.dialects.some((dialect) => provider.supportsDialect(dialect, model.id))
      )
        models.set(model.id, model);
  return [...models.values()];
}

/** Reads the pages of a list, up to the maximum number. */
async function fetchModelList(
  transport: UpstreamTransport,
  clock: Clock,
  provider: Provider,
  { origin, path: first }: Provider['modelLists'][number],
): Promise<ListedModel[]> {
  const models: ListedModel[] = [];
  let path = first;
  for (let pages = 0; pages < MAX_LIST_PAGES; pages++) {
    const request = buildProviderGetRequest(provider, provider.nextCredential(), { origin, path });
    const { body } = await sendBufferedRequest(transport, clock, request, LIMITS);
    const page = parseModelListPage(JSON.parse(body.toString('utf8')));
    models.push(...page.models);
    if (page.next === undefined) break;
    const next = `${first}${first.includes('?') ? '&' : '?'}${page.next}`;
    if (next === path) break;
    path = next;
  }
  return models;
}

/** Builds a GET request with a credential, for example for a model list. */
export function buildProviderGetRequest(
  provider: Provider,
  credential: ProviderCredential,
  { origin, path }: Provider['modelLists'][number],
): UpstreamRequest {
  const headers = [
    ...provider.headersFor(credential),
    ...Object.entries(provider.definition.headers ?? {}).flat(),
    'accept',
    'application/json',
  ];
  const request = buildUpstreamRequest(
    { provider, credential, timeouts: provider.timeouts },
    path,
    headers,
    null,
  );
  return { ...request, method: 'GET', origin };
}
