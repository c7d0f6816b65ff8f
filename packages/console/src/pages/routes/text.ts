/** All text on the Routes page, in the route editor and in its simulator. */
export const routesText = {
  page: {
    title: 'Routes',
    one: 'route',
    order: 'A request uses the first route that matches its model. Routes from floe.yaml come first.',
    empty: {
      title: 'No routes',
      text: 'Without a route, each request goes to the model that it names. Create a route to add failover, weights or an alias such as “smart”.',
    },
  },
  columns: {
    model: 'Model or alias',
    strategy: 'Strategy',
    targets: 'Targets',
    retries: 'Retries',
    source: 'Source',
    disabled: 'disabled',
    noTargets: 'The requested model',
  },
  editor: {
    newTitle: 'Create route',
    created: (model: string) => `Route ${model} was created. It applies to new requests.`,
    saved: (model: string) =>
      `Route ${model} was saved. It applies to new requests. Requests in progress are not affected.`,
    removal: {
      title: (id: string) => `Delete route “${id}”?`,
      pattern: 'Requests for these models will go directly to their provider.',
      alias: (model: string) =>
        `Requests for ${model} will fail with status 404, because no other model or route has this name.`,
    },
  },
  fields: {
    model: 'Model or alias',
    modelHint:
      'The model that callers request: a model ID, a pattern such as openai/*, or an alias of your choice.',
    modelPlaceholder: 'smart',
    strategy: 'Strategy',
    targets: 'Targets',
    targetsHint: 'Drag to reorder, or press Alt+↑ or Alt+↓ on a handle.',
    rescue: 'If a stream is cut off after content has been sent',
    cache: 'Response cache',
    cacheHint: 'Determines whether Floe answers identical requests from the cache.',
    retries: 'Retries per target',
    timeoutPlaceholder: 'Provider default',
    seconds: (label: string) => `${label} timeout (s)`,
    enabled: 'Enabled',
    enabledHint: 'When the route is disabled, requests are matched against the routes below it.',
  },
  strategies: {
    failover: {
      label: 'Failover',
      does: 'The first target gets all requests. If it fails, the next target is used.',
    },
    weighted: {
      label: 'Weighted',
      does: 'Each target gets its share of the requests. If a target fails, the others are used.',
    },
    least_latency: {
      label: 'Lowest latency',
      does: 'The target with the lowest recent time to first token is used first.',
    },
  },
  rescues: {
    error: { label: 'End with an error', does: 'The client receives an error event.' },
    replay: {
      label: 'Continue on the next target',
      does: 'The next target generates the response again. Floe does not repeat the content that the client has received.',
    },
  },
  cacheOptions: {
    default: 'Organization default',
    on: 'On for this route',
    off: 'Off for this route',
  },
  timeouts: {
    first_token_ms: 'First token',
    idle_ms: 'Idle',
    total_ms: 'Total',
    connect_ms: 'Connect',
    headers_ms: 'First byte',
  },
  warnings: {
    oneProvider: (provider: string) =>
      `All targets use the provider ${provider}. If it fails, this route fails too.`,
    duplicate: (model: string) => `The target ${model} is listed twice.`,
    noPrice: (model: string) =>
      `${model} has no price. A budget in the mode “Reject requests” rejects requests to this route with status 403. Set a price on the Models page.`,
  },
  targets: {
    label: 'Targets',
    none: 'No targets: each request goes to the model that it names. An alias needs at least one target.',
    add: 'Add target',
    weightLabel: 'Weight',
    newTarget: 'new target',
    target: (number: number) => `Target ${number}`,
    placeholder: 'provider/model',
    remove: (target: string) => `Remove ${target}`,
    weight: (number: number) => `Weight of target ${number}`,
  },
  simulator: {
    title: 'Simulate a request',
    aside: 'No request is sent or counted',
    noModel: 'Enter the model or alias of the route to simulate a request.',
    failed: 'Could not simulate the request.',
    invalidDraft: 'Could not simulate the draft.',
    key: 'Key',
    noKey: 'No key (your account)',
    model: 'Requested model',
    modelPlaceholder: 'smart',
    tokens: 'Prompt tokens',
    tools: 'Tools',
    images: 'Images',
    stream: 'Streaming',
    changed: 'The draft changes the result.',
    saved: (result: string) => ` Saved route: ${result}`,
    unchanged: 'The draft does not change the result of this request.',
  },
  result: {
    rejected: (status: number, message: string) => `Rejected with status ${status}: ${message}`,
    noTarget: 'The request is allowed, but no target is available.',
    fallback: ' If it fails, the targets below are tried.',
    open: (target: string) =>
      `The breakers of all targets are open. One request at a time is sent to ${target}; other requests fail with status 503.`,
    halfOpen: (target: string) =>
      `${target} would be used. The request would test whether the target has recovered.`,
    ramping: (target: string) =>
      `${target} would receive only a share of the requests, because its breaker is ramping up.`,
    used: (target: string) => `${target} would be used.`,
  },
  simulated: {
    label: 'Targets in the order they would be tried',
    notUsed: '–',
    retryIn: (duration: string) => `, next attempt in ${duration}`,
    reason: (reason: string) => `: ${reason}`,
  },
} as const;
