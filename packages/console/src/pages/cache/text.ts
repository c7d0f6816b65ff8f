/** Every string of the Cache page. */

export const cacheText = {
  page: { title: 'Cache', loadFailed: 'Could not load the cache.' },
  figures: {
    none: '–',
    hitRate: 'Hit rate, 24 h',
    cacheable: (requests: string) => `of ${requests}`,
    request: 'cacheable request',
    disabled: 'The cache is disabled',
    saved: 'Saved, 24 h',
    savedHint: 'Original cost of the cached responses',
    hits: 'Hits',
    misses: 'Misses',
    bypassed: 'Bypassed',
    bypassedHint: 'The client skipped the cache',
    entries: 'Stored responses',
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
    enabledToast: 'The cache is enabled.',
    disabledToast: 'The cache is disabled.',
    enabled: 'Answer identical requests from the cache',
    enabledHint:
      'Floe stores complete, successful responses. Two requests are identical when everything that affects the response is equal.',
    ttl: 'Time to live (s)',
    ttlHint: 'How long a stored response can be reused.',
    scope: 'Shared between',
    scopeHint: 'Which callers can receive a stored response.',
    scopes: { key: 'Requests with the same key', org: 'All keys of the organization' },
    clientControl: 'Clients can bypass the cache or refresh a stored response for each request.',
    requests: 'View requests answered from the cache',
  },
  clear: {
    button: 'Clear cache',
    title: 'Clear the cache?',
    verb: 'Clear cache',
    typed: 'clear',
    done: 'The cache is empty.',
    all: 'All stored responses of this organization are deleted.',
    counted: (entries: string) =>
      `${entries} stored responses of this process, and those of all other processes, are deleted.`,
    recentHits: (requests: string, cost: string) =>
      ` In the last 24 hours, the cache answered ${requests} and saved ${cost}. The next identical requests are sent to providers and cost money again.`,
    noHits: ' The next identical requests are sent to providers and cost money again.',
    request: 'request',
  },
  routes: {
    title: 'Routes',
    empty: 'No routes.',
    create: 'Create a route',
    emptyEffect: ' to change the cache setting for its model only.',
    label: (model: string) => `Cache of ${model}`,
    saved: {
      default: (id: string) => `Route ${id} uses the cache setting of the organization.`,
      on: (id: string) => `The cache is enabled for route ${id}.`,
      off: (id: string) => `The cache is disabled for route ${id}.`,
    },
    hint: (enabled: boolean) =>
      `The organization default is ${enabled ? 'on' : 'off'}. It also applies to requests that match no route.`,
  },
} as const;
