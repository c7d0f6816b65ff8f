import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Credential, Provider } from './configured.ts';
import { type ListedModel, readModelPage } from './model-page.ts';
import { requestTo } from './request-to.ts';
import { smallCall } from './small-call.ts';
import type { Transport, UpstreamRequest } from './transport.ts';

const REFRESH_MS = 10 * 60 * 1000;
/** For one page of a list. */
const LIMITS = { timeoutMs: 30_000, bytes: 16 * 1024 * 1024, onlyStatus: 200 };
/** Of a thousand models each where the provider lets us say how many. */
const LIST_PAGES = 20;

export type { ListedModel } from './model-page.ts';

/** The models that providers name themselves, read in the background; the last good list is kept. */
export interface ModelLists {
  /** Starts reading for these providers and stops for all others. */
  watch(providers: readonly Provider[]): void;
  of(provider: Provider): readonly ListedModel[];
  /** Tokens that one answer of a model has at most, where the provider's list says so. */
  outputMost(provider: Provider, model: string): number | null;
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
    `${provider.sheet.kind} ${provider.origin} ${provider.lists.map(({ path }) => path).join(' ')}`;

  async function refresh(): Promise<void> {
    timer?.cancel();
    await Promise.all(watched.map(read));
    if (!closed && watched.length > 0) timer = clock.after(REFRESH_MS, () => void refresh());
  }

  async function read(provider: Provider): Promise<void> {
    try {
      const models = await readLists(transport, clock, provider);
      lists.set(keyOf(provider), models);
      outputs.set(keyOf(provider), outputsOf(models));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn(
        { provider: provider.id, reason },
        'the model list could not be read; the last good one stays',
      );
    }
  }

  return {
    watch(providers) {
      watched = providers.filter(
        (provider) => provider.lists.length > 0 && provider.models.some((model) => model.includes('*')),
      );
      void refresh();
    },
    outputMost: (provider, model) => outputs.get(keyOf(provider))?.get(model) ?? null,
    of: (provider) => lists.get(keyOf(provider)) ?? (provider.sheet.knownModels ?? []).map(named),
    close() {
      closed = true;
      timer?.cancel();
    },
  };
}

function outputsOf(models: readonly ListedModel[]): ReadonlyMap<string, number> {
  return new Map(models.flatMap(({ id, outputMost }) => (outputMost === null ? [] : [[id, outputMost]])));
}

function named(id: string): ListedModel {
  return { id, created: 0, ownedBy: '', contextWindow: null, outputMost: null };
}

/** All lists of a provider as one; of models in several, the first entry counts. What it cannot be asked for is left out. */
async function readLists(transport: Transport, clock: Clock, provider: Provider): Promise<ListedModel[]> {
  const models = new Map<string, ListedModel>();
  for (const list of provider.lists)
    for (const model of await readList(transport, clock, provider, list))
      if (!models.has(model.id) && provider.dialects.some((dialect) => provider.speaks(dialect, model.id)))
        models.set(model.id, model);
  return [...models.values()];
}

/** Follows the pages of a list. Whatever stands behind the last page we ask for is not listed. */
async function readList(
  transport: Transport,
  clock: Clock,
  provider: Provider,
  { origin, path: first }: Provider['lists'][number],
): Promise<ListedModel[]> {
  const models: ListedModel[] = [];
  let path = first;
  for (let pages = 0; pages < LIST_PAGES; pages++) {
    const request = smallRequest(provider, provider.nextCredential(), { origin, path });
    const { body } = await smallCall(transport, clock, request, LIMITS);
    const page = readModelPage(JSON.parse(body.toString('utf8')));
    models.push(...page.models);
    if (page.next === undefined) break;
    const next = `${first}${first.includes('?') ? '&' : '?'}${page.next}`;
    if (next === path) break;
    path = next;
  }
  return models;
}

/** A GET with this credential, off the hot path. */
export function smallRequest(
  provider: Provider,
  credential: Credential,
  { origin, path }: Provider['lists'][number],
): UpstreamRequest {
  const headers = [
    ...provider.headersFor(credential),
    ...Object.entries(provider.sheet.headers ?? {}).flat(),
    'accept',
    'application/json',
  ];
  const request = requestTo({ provider, credential, timeouts: provider.timeouts }, path, headers, null);
  return { ...request, method: 'GET', origin };
}
