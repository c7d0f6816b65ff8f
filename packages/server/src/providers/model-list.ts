import { enforceMaxJsonComplexity } from '@floe/wire/enforce-max-json-complexity';
import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { OrgPacer } from '../core/org-pacer.ts';
import { sendBufferedRequest } from './buffered-request.ts';
import type { Provider, ProviderCredential } from './configured-provider.ts';
import { type ListedModel, type ModelListPage, parseModelListPage } from './model-list-page.ts';
import type { UpstreamRequest, UpstreamTransport } from './transport.ts';
import { buildUpstreamRequest } from './upstream-request.ts';

const REFRESH_INTERVAL_MS = 10 * 60 * 1000;
const PAGE_TIMEOUT_MS = 30_000;
/** Maximum size of all pages of a list. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;
/** Maximum complexity of a page. Parsing such a page takes about 30 ms. */
const MAX_PAGE_COMPLEXITY = 3_000_000;
/** Maximum number of pages. A page has up to a thousand models if the provider accepts a page size. */
const MAX_LIST_PAGES = 20;
/** Limits for parsing the pages of one organization. */
const PARSER_LIMITS = { maxWaiting: 5, pauseFactor: 4 };
/** Reading a list is mostly waiting, so it is not followed by a pause. */
const READER_LIMITS = { maxWaiting: Number.POSITIVE_INFINITY, pauseFactor: 0 };
/** Further models are omitted. */
const MAX_LISTED_MODELS = 5_000;

export type { ListedModel } from './model-list-page.ts';

/**
 * The models in the providers' own model lists. The lists are read in the background. If a list cannot be
 * read, its previous version is used.
 */
export interface ModelListCache {
  /**
   * Sets the providers whose lists are read. Reads the lists of providers that were not watched before, or whose
   * credentials have changed. All others keep their schedule.
   */
  watch(providers: readonly Provider[]): void;
  modelsOf(provider: Provider): readonly ListedModel[];
  /** Returns the maximum output tokens of a model; null if the provider's list does not contain them. */
  maxOutputTokens(provider: Provider, model: string): number | null;
  close(): void;
}

/**
 * Creates the cache of model lists. For each provider with an open allowlist (`*`), the list is read
 * immediately and then every 10 minutes. The lists of one organization are read one after the other, so that slow or
 * large ones do not delay others.
 */
export function createModelListCache(transport: UpstreamTransport, clock: Clock, log: Log): ModelListCache {
  const lists = new Map<string, readonly ListedModel[]>();
  const outputs = new Map<string, ReadonlyMap<string, number>>();
  let watched: ReadonlyMap<string, Provider> = new Map();
  const pacer = new OrgPacer(clock, PARSER_LIMITS);
  const readInTurn = createReadQueue(clock, read);
  let timer: Timer | null = null;
  let closed = false;

  function scheduleRefresh(): void {
    if (closed || watched.size === 0) return;
    timer ??= clock.after(REFRESH_INTERVAL_MS, () => {
      timer = null;
      for (const [key, provider] of watched) readInTurn(provider, key);
      scheduleRefresh();
    });
  }

  /** Reads the list with the credentials that the provider has now. */
  async function read(key: string): Promise<void> {
    const provider = watched.get(key);
    if (!provider || closed) return;
    try {
      const models = await fetchModelLists(transport, { clock, pacer }, provider);
      if (!watched.has(key)) return;
      lists.set(key, models);
      outputs.set(key, outputLimits(models));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn(
        { provider: provider.id, reason },
        'could not read the model list of a provider; the previous list, if there is one, remains in use',
      );
    }
  }

  return {
    watch(providers) {
      const before = new Set([...watched.values()].map(credentialKeyOf));
      watched = new Map(providers.filter(hasOpenAllowlist).map((provider) => [keyOf(provider), provider]));
      for (const map of [lists, outputs])
        for (const key of map.keys()) if (!watched.has(key)) map.delete(key);
      for (const [key, provider] of watched)
        if (!before.has(credentialKeyOf(provider))) readInTurn(provider, key);
      scheduleRefresh();
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

/**
 * Returns a function that queues the reading of a list. The lists of an organization are read one after the other.
 * A list that is waiting is not added again, so that slow providers do not make the queue longer with each refresh.
 */
function createReadQueue(
  clock: Clock,
  read: (key: string) => Promise<void>,
): (provider: Provider, key: string) => void {
  const pacer = new OrgPacer(clock, READER_LIMITS);
  const waiting = new Set<string>();
  return ({ orgId }, key) => {
    if (waiting.has(key)) return;
    waiting.add(key);
    void pacer.run(orgId ?? '', () => {
      waiting.delete(key);
      return read(key);
    });
  };
}

/** Whether clients may use models that only the provider's own list names. */
function hasOpenAllowlist({ modelLists, models }: Provider): boolean {
  return modelLists.length > 0 && models.some((model) => model.includes('*'));
}

/** Identifies a list. Some models are visible only to the customer of the provider, so organizations share no lists. */
function keyOf(provider: Provider): string {
  const known = keys.get(provider);
  if (known !== undefined) return known;
  const { orgId, id, definition, origin, modelLists } = provider;
  const key = JSON.stringify([orgId, id, definition.kind, origin, ...modelLists.map(({ path }) => path)]);
  keys.set(provider, key);
  return key;
}

/** Caches the key of each provider, because requests look it up. */
const keys = new WeakMap<Provider, string>();

function credentialKeyOf(provider: Provider): string {
  return JSON.stringify([keyOf(provider), ...provider.credentials.map((one) => provider.sealOrigin(one))]);
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
  turns: ListReading,
  provider: Provider,
): Promise<ListedModel[]> {
  const models = new Map<string, ListedModel>();
  for (const list of provider.modelLists)
    for (const model of await fetchModelList(transport, turns, provider, list))
      if (
        !models.has(model.id) &&
        provider.dialects.some((dialect) => provider.supportsDialect(dialect, model.id))
      )
        models.set(model.id, model);
  return [...models.values()];
}

/** The clock for deadlines, and the pacer for parsing. */
interface ListReading {
  readonly clock: Clock;
  readonly pacer: OrgPacer;
}

/** Reads the pages of a list, up to the maximum number. */
async function fetchModelList(
  transport: UpstreamTransport,
  { clock, pacer }: ListReading,
  provider: Provider,
  { origin, path: first }: Provider['modelLists'][number],
): Promise<ListedModel[]> {
  const models: ListedModel[] = [];
  let [path, leftBytes] = [first, MAX_LIST_BYTES];
  for (let pages = 0; pages < MAX_LIST_PAGES; pages++) {
    const request = buildProviderGetRequest(provider, provider.nextCredential(), { origin, path });
    const limits = { timeoutMs: PAGE_TIMEOUT_MS, maxBytes: leftBytes, requiredStatus: 200 };
    const { body } = await sendBufferedRequest(transport, clock, request, limits);
    leftBytes -= body.length;
    const page = await pacer.run(provider.orgId ?? '', () => parsePage(body));
    models.push(...page.models.slice(0, MAX_LISTED_MODELS - models.length));
    if (page.next === undefined || models.length >= MAX_LISTED_MODELS) break;
    const next = `${first}${first.includes('?') ? '&' : '?'}${page.next}`;
    if (next === path) break;
    path = next;
  }
  return models;
}

/** @throws Error if the body is not a model list, or has too many JSON values */
function parsePage(body: Buffer): ModelListPage {
  enforceMaxJsonComplexity(body, MAX_PAGE_COMPLEXITY);
  return parseModelListPage(JSON.parse(body.toString('utf8')));
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
