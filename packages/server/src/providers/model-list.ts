import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { callBuffered } from './buffered-call.ts';
import type { Credential, Provider } from './configured-provider.ts';
import { type ListedModel, parseModelPage } from './model-page.ts';
import type { Transport, UpstreamRequest } from './transport.ts';
import { buildUpstreamRequest } from './upstream-request.ts';

const REFRESH_INTERVAL_MS = 10 * 60 * 1000;
/** For one page of a list. */
const LIMITS = { timeoutMs: 30_000, maxBytes: 16 * 1024 * 1024, requiredStatus: 200 };
/** Of a thousand models each where the provider lets us say how many. */
const MAX_LIST_PAGES = 20;

export type { ListedModel } from './model-page.ts';

/** The models that providers name themselves, read in the background; the last good list is kept. */
export interface ModelLists {
  /** Starts reading for these providers and stops for all others. */
  watch(providers: readonly Provider[]): void;
  modelsOf(provider: Provider): readonly ListedModel[];
  /** Tokens that one answer of a model has at most, where the provider's list says so. */
  maxOutputTokens(provider: Provider, model: string): number | null;
  close(): void;
}

/** Lists are read for providers whose allowlist is open (`*`): every 10 minutes, the first time at once. */
export function createModelLists(transport: Transport, clock: Clock, log: Log): ModelLists {
  const lists = new Map<string, readonly ListedModel[]>();
  const outputs = new Map<string, ReadonlyMap<string, number>>();
  let watched: readonly Provider[] = [];
  let timer: Timer | null = null;
  let closed = false;

  const keyOf = (provider: Provider) =>
    `${provider.sheet.kind} ${provider.origin} ${provider.modelLists.map(({ path }) => path).join(' ')}`;

  async function refresh(): Promise<void> {
    timer?.cancel();
    await Promise.all(watched.map(read));
    if (!closed && watched.length > 0) timer = clock.after(REFRESH_INTERVAL_MS, () => void refresh());
  }

  async function read(provider: Provider): Promise<void> {
    try {
      const models = await fetchModelLists(transport, clock, provider);
      lists.set(keyOf(provider), models);
      outputs.set(keyOf(provider), outputLimits(models));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ provider: provider.id, reason }, 'model list could not be read; the previous list is kept');
    }
  }

  return {
    watch(providers) {
      watched = providers.filter(
        (provider) => provider.modelLists.length > 0 && provider.models.some((model) => model.includes('*')),
      );
      void refresh();
    },
    maxOutputTokens: (provider, model) => outputs.get(keyOf(provider))?.get(model) ?? null,
    modelsOf: (provider) =>
      lists.get(keyOf(provider)) ?? (provider.sheet.knownModels ?? []).map(unlistedModel),
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

/** All lists of a provider as one; of models in several, the first entry counts. What it cannot be asked for is left out. */
async function fetchModelLists(
  transport: Transport,
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

/** Follows the pages of a list. Whatever stands behind the last page we ask for is not listed. */
async function fetchModelList(
  transport: Transport,
  clock: Clock,
  provider: Provider,
  { origin, path: first }: Provider['modelLists'][number],
): Promise<ListedModel[]> {
  const models: ListedModel[] = [];
  let path = first;
  for (let pages = 0; pages < MAX_LIST_PAGES; pages++) {
    const request = buildGetRequest(provider, provider.nextCredential(), { origin, path });
    const { body } = await callBuffered(transport, clock, request, LIMITS);
    const page = parseModelPage(JSON.parse(body.toString('utf8')));
    models.push(...page.models);
    if (page.next === undefined) break;
    const next = `${first}${first.includes('?') ? '&' : '?'}${page.next}`;
    if (next === path) break;
    path = next;
  }
  return models;
}

/** A GET with this credential, off the hot path. */
export function buildGetRequest(
  provider: Provider,
  credential: Credential,
  { origin, path }: Provider['modelLists'][number],
): UpstreamRequest {
  const headers = [
    ...provider.headersFor(credential),
    ...Object.entries(provider.sheet.headers ?? {}).flat(),
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
