import { formatCompactNumber } from '../../format/amounts.ts';

/** All text on the Providers page, on the page of one provider and in its forms. */
export const providersText = {
  page: {
    title: 'Providers',
    what: 'providers',
    add: 'Add provider',
    sandboxOnly:
      'The sandbox is the only provider. It repeats the prompt and is free. Add a provider with your API key to use real models. Floe tests the key before saving the provider.',
    empty: {
      title: 'No providers',
      text: 'Add a provider with your API key to use its models. Floe tests the key before saving the provider.',
    },
  },
  columns: {
    provider: 'Provider',
    kind: 'Kind',
    status: 'Status',
    credentials: 'Credentials',
    models: 'Allowed models',
    requests: 'Requests, 24 h',
    errors: 'Errors',
    none: '–',
    source: 'Source',
    cardRequests: (status: string, requests: number | undefined) =>
      requests === undefined
        ? status
        : `${status} · ${formatCompactNumber(requests)} ${requests === 1 ? 'request' : 'requests'} in 24 h`,
  },
  status: {
    enabled: 'Enabled',
    disabled: 'Disabled',
    unusable: 'Unavailable',
    openBreakers: (breakers: string) => `Failing, ${breakers}`,
    openBreaker: 'open breaker',
    rejectedKeys: (keys: string) => `${keys} rejected`,
    key: 'credential',
    degraded: (rate: string) => `Degraded, ${rate} errors`,
    unknown: 'Unknown',
    loadFailed: 'Could not load the breakers or the traffic of the providers.',
  },
  credentials: {
    none: 'None',
    valid: (count: number) => `${count} valid`,
    rejected: (count: number) => `${count} rejected`,
    untested: (count: number) => `${count} not tested`,
    callerKeys:
      'This provider has no stored credentials. Each caller sends its own credential with every request.',
    noKeys: 'This provider has no credentials. Floe sends requests to it without a credential.',
    add: 'Add credential',
    hidden: 'value not shown',
    weight: (weight: number) => `weight ${weight}`,
    test: 'Test credential',
    tested: 'tested',
    notTested: 'Not tested yet.',
    actions: (name: string) => `Actions for credential ${name}`,
    replace: 'Replace credential',
    remove: 'Remove credential',
    removal: {
      title: (name: string) => `Remove credential “${name}”?`,
      verb: 'Remove credential',
      done: (name: string) => `Credential ${name} was removed.`,
      lastKey: (provider: string) =>
        `This is the only credential for ${provider}. After you remove it, Floe will send requests to ${provider} without a credential.`,
      otherKeys:
        'Floe will no longer send requests with this credential. Its share of the traffic moves to the other credentials.',
    },
    works: (duration: string) => `Credential is valid (${duration})`,
    worksWithModels: (models: string, duration: string) => `Credential is valid (${models}, ${duration})`,
    model: 'model',
  },
  credentialDialog: {
    addTitle: (provider: string) => `Add credential to ${provider}`,
    replaceTitle: (name: string) => `Replace credential “${name}”`,
    description:
      'The credential is stored encrypted, sent only to the base URL of this provider, and never shown again.',
    cancel: 'Cancel',
    add: 'Add credential',
    replace: 'Replace credential',
    name: 'Name',
    nameHint: 'Identifies the credential in analytics and on the Breakers page.',
    namePlaceholder: 'eu-2',
    key: 'API key',
    weight: 'Weight',
    weightHint:
      'The share of traffic that this credential receives, relative to the weights of the other credentials.',
    saved: (name: string) => `Credential ${name} was saved. It has not been tested yet.`,
  },
  detail: {
    title: 'Provider',
    loadFailed: 'Could not load this provider.',
    tabs: 'Provider sections',
    credentials: 'Credentials',
    models: 'Models',
    settings: 'Settings',
    timeouts: 'Timeouts',
    problem: (problem: string) => `The provider is enabled but cannot be used: ${problem}`,
    requests: 'Requests, 24 h',
    errors: 'Errors',
    api: 'API',
    billing: 'Billing',
    apis: {
      chat: 'Chat Completions',
      responses: 'Responses',
      messages: 'Messages',
    },
    billings: { metered: 'Per token', free: 'Free', seat: 'Per seat' },
    none: '–',
    delete: 'Delete provider',
    removal: {
      title: (id: string) => `Delete provider “${id}”?`,
      effect: (id: string) =>
        `Its credentials will be deleted, and requests for ${id}/… will fail with status 404. Remove the provider from all routes first. To stop its traffic temporarily, disable the provider instead.`,
    },
  },
  create: {
    title: 'Add provider',
    cancel: 'Cancel',
    testAndSave: 'Test and save provider',
    moreActions: 'More save options',
    saveWithoutTest: 'Save without testing',
    saved: (id: string) => `Provider ${id} is enabled.`,
    notSaved: (id: string, message: string) =>
      `Provider ${id} was not saved, because the test of its credential failed. ${message}`,
    kind: 'Kind',
    id: 'ID',
    idHint: (id: string) => `Callers request its models as ${id}/<model>.`,
    idPlaceholder: 'id',
    key: 'API key',
    keyHint:
      'The key that the provider issued to you. It is stored encrypted, sent only to this base URL, and never shown again.',
    region: 'Region',
    regionHint: 'For cloud providers with several regions.',
    project: 'Project',
    projectHint: 'For cloud providers that bill by project.',
  },
  fields: {
    baseUrl: 'Base URL',
    baseUrlRequired: 'The base URL of the API. For OpenAI-compatible APIs, include /v1.',
    baseUrlChange:
      'Before you change the scheme, host or port, remove all credentials. After the change, add them again.',
    baseUrlPlaceholder: 'https://…',
    baseUrlDefault: (kind: string) => `${kind} default`,
    models: 'Allowed models',
    modelsHint:
      'Model names without the provider ID, or patterns such as gpt-5*, one per line. * matches all models.',
  },
  models: {
    save: 'Save allowlist',
    saved: 'Allowlist saved. It applies to new requests.',
    matches: (matched: string, known: string) =>
      `Matches ${matched} of the ${known} currently allowed models`,
    list: (models: string, more: boolean) => `: ${models}${more ? ' …' : '.'}`,
    end: '.',
    more: 'The allowlist can match more models than this list contains.',
    link: 'View models and prices',
  },
  settings: {
    save: 'Save provider',
    saved: (id: string) => `Provider ${id} was saved.`,
    disabled: (id: string) => `Provider ${id} is disabled. Its history is kept.`,
    enabled: 'Enabled',
    enabledHint:
      'When the provider is disabled, requests go to the next target in their route or fail with status 404. The history is kept.',
    billing: 'Billing',
    billingOptions: {
      metered: 'Per token',
      free: 'Free (not counted toward budgets)',
      seat: 'Per seat (not counted toward budgets)',
    },
    multiplier: 'Price multiplier',
    multiplierHint: 'Multiplies the catalog prices. For example, 0.8 applies a 20% discount.',
  },
  timeouts: {
    save: 'Save timeouts',
    saved: 'Timeouts saved. They apply to new requests.',
    default: 'Default',
    seconds: (label: string) => `${label} (s)`,
    connect_ms: { label: 'Connect', hint: 'Maximum time to open the connection, including TLS.' },
    headers_ms: {
      label: 'First byte',
      hint: 'Maximum time from sending the request to the response headers.',
    },
    first_token_ms: {
      label: 'First token',
      hint: 'Maximum time from the response headers to the first content of the response.',
    },
    idle_ms: { label: 'Idle', hint: 'Maximum time without data after the first content of the response.' },
    total_ms: {
      label: 'Total',
      hint: 'Maximum time from receiving the client’s request to the end of an attempt, including all earlier attempts.',
    },
  },
} as const;
