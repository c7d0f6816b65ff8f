/** Every string of the Cache page. */

export const cacheText = {
  page: { title: 'Cache', loadFailed: 'Could not load the cache statistics.' },
  figures: {
    none: '–',
    hitRate: 'Hit rate, 24 h',
    cacheable: (requests: string) => `of ${requests}`,
    request: 'cacheable request',
    disabled: 'The cache is disabled',
    saved: 'Savings, 24 h',
    savedHint: 'What the responses from the cache would have cost',
    hits: 'Hits',
    misses: 'Misses',
    bypassed: 'Bypassed',
    bypassedHint: 'Requests that skipped the cache',
    entries: 'Cached responses',
    inRedis: 'Stored in Redis',
    inProcess: (kib: string) => `${kib} KiB in this process`,
  },
  chart: {
    title: 'Requests by cache result',
    aside: 'Last 7 days, by hour',
    loadFailed: 'Could not load the chart.',
    empty: 'No requests in the last 7 days while the cache was enabled.',
    results: { hit: 'Hit', miss: 'Miss', bypass: 'Bypass', refresh: 'Refresh' },
  },
  settings: {
    title: 'Settings',
    save: 'Save cache settings',
    enabledToast: 'Cache enabled.',
    disabledToast: 'Cache disabled.',
    enabled: 'Answer identical requests from the cache',
    enabledHint:
      'Floe stores complete, successful responses. Two requests are identical if everything that affects the response is the same.',
    ttl: 'Time to live (s)',
    ttlHint: 'How long a cached response can be reused.',
    scope: 'Scope',
    scopeHint: 'Determines which requests can receive a cached response.',
    scopes: { key: 'Requests with the same key', org: 'Requests with any key of the organization' },
    clientControl: 'Clients can bypass the cache or refresh a cached response on individual requests.',
    requests: 'View requests answered from the cache',
  },
  clear: {
    button: 'Clear cache',
    title: 'Clear cache?',
    verb: 'Clear cache',
    typed: 'clear',
    done: 'The cache was cleared.',
    all: 'All cached responses in this organization will be deleted.',
    counted: (entries: string) =>
      `${entries} cached responses in this process and all cached responses in other processes will be deleted.`,
    recentHits: (requests: string, cost: string) =>
      ` In the last 24 hours, the cache answered ${requests} and saved ${cost}. Identical requests will be sent to providers and charged again.`,
    noHits: ' Identical requests will be sent to providers and charged again.',
    request: 'request',
  },
  routes: {
    title: 'Routes',
    empty: 'No routes.',
    create: 'Create a route',
    emptyEffect: ' to change the cache setting for a single model.',
    label: (model: string) => `Cache setting for ${model}`,
    saved: {
      default: (id: string) => `Route ${id} uses the organization default for caching.`,
      on: (id: string) => `Caching is enabled for route ${id}.`,
      off: (id: string) => `Caching is disabled for route ${id}.`,
    },
    hint: (enabled: boolean) =>
      `The organization default is ${enabled ? 'on' : 'off'}. It also applies to requests that do not match a route.`,
  },
} as const;
