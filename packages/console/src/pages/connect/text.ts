/** Every string of the Connect page, except the settings and notes of each client (`clients.ts`). */
export const connectText = {
  page: {
    title: 'Connect a client',
    clientTitle: (name: string) => `Connect ${name}`,
    clients: 'Clients',
    search: 'Search clients',
    choose:
      'Choose a client. The page then shows its settings, creates a key for it and waits for its first request.',
    allClients: 'Show all clients',
    apiName: (name: string) => `API: ${name}`,
  },
  groups: { Agents: 'Agents', IDEs: 'IDEs', SDKs: 'SDKs', Jobs: 'Jobs' },
  unknownClient: {
    title: (name: string) => `There is no client “${name}”`,
    body: 'Every client works that lets you set a base URL and an API key. Choose the client that is most similar to yours.',
  },
  unreachable: (client: string, host: string) =>
    `Requests of ${client} come from the servers of its vendor, which cannot reach ${host}. Give Floe a public HTTPS address and set it as server.base_url.`,
  steps: {
    key: 'Create a key',
    configure: 'Copy the settings',
    run: 'Run the client',
    model: 'Model',
    waitingForKey: 'Create a key. The first request with it appears here.',
  },
  troubleshooting: {
    title: 'If no request arrives',
    unauthorized: 'Status 401: the client sends a different key.',
    compareLast4: (last4: string) =>
      `The key of step 1 ends in …${last4}. Compare it with the key in the settings of the client.`,
    compareList:
      'Compare the last four characters of the key in the settings of the client with the list of keys.',
    notFound:
      'Status 404: the model is unknown, or the key may not use it. Use a model id from the list above, including the slash.',
    unreachable: (url: string) => `No connection: the client must be able to open ${url}.`,
  },
  key: {
    create: (name: string) => `Create key ${name}`,
    existing: 'Or use a key that you have, as $FLOE_KEY.',
    copyRequest: 'Copy a request for a key',
    requestText: (name: string, origin: string) =>
      `Please create a platform key for me in Floe. Name: ${name}. Scope: gateway. ${origin}`,
    requestCopied: 'Request copied. Send it to an owner or admin.',
    shownOnce: (last4: string) =>
      `This is the only time the key is shown. The settings below contain it until you leave this page. Afterwards only …${last4} is shown.`,
    copy: 'Copy key',
  },
  firstRequest: {
    waiting: (client: string) => `Waiting for the first request of ${client}…`,
    connected: (client: string) => `${client} is connected.`,
    rejected: (client: string) => `${client} reached Floe, but the request failed.`,
    succeeded: (model: string, status: string, latency: string, cost: string) =>
      `Model ${model}: status ${status} in ${latency}, cost ${cost}.`,
    failed: (model: string, status: string, reason: string | null) =>
      `Model ${model}: status ${status}${reason ? `, ${reason}` : ''}.`,
    open: 'Open request',
  },
} as const;

/** Notes that several clients share. */
export const clientText = {
  fullModelId: 'Enter the model id as Floe lists it, including the slash.',
  baseUrlWithoutVersion: 'The base URL ends in /gateway, without /v1.',
  baseUrlWithVersion: 'The base URL ends in /gateway/v1.',
  sendPrompt: 'Send a prompt.',
  printsAnswer: 'The program prints the answer.',
} as const;
