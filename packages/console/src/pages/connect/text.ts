/** All text on the Connect page, except the settings and notes of each client (`connectable-clients.ts`). */
export const connectText = {
  page: {
    title: 'Connect a client',
    clientTitle: (name: string) => `Connect ${name}`,
    clients: 'Clients',
    search: 'Search clients',
    choose:
      'Choose a client to see its settings, create a key for it and check that its first request arrives.',
    allClients: 'Show all clients',
    apiName: (name: string) => `API: ${name}`,
  },
  groups: { Agents: 'Agents', IDEs: 'IDEs', SDKs: 'SDKs and HTTP' },
  unknownClient: {
    title: (name: string) => `Unknown client “${name}”`,
    body: 'Floe works with every client that lets you set a base URL and an API key. Choose the client that is most similar to yours.',
  },
  unreachable: (client: string, host: string) =>
    `${client} sends requests from its vendor’s servers, which cannot reach ${host}. Make Floe available at a public HTTPS URL and set server.base_url to that URL.`,
  steps: {
    key: 'Create a key',
    configure: 'Copy the settings',
    run: 'Run the client',
    model: 'Model',
    waitingForKey: 'Create a key first. The first request with the key appears here.',
  },
  troubleshooting: {
    title: 'If no request arrives',
    unauthorized: 'Status 401: the client does not send this key.',
    compareLast4: (last4: string) =>
      `The key from step 1 ends in …${last4}. Compare it with the key in the client’s settings.`,
    compareList:
      'Compare the last four characters of the key in the client’s settings with the list of keys.',
    notFound:
      'Status 404: the model is unknown, or the key cannot use it. Use a model ID from the list above, including the slash.',
    unreachable: (url: string) => `No connection: make sure that the client can reach ${url}.`,
  },
  key: {
    create: (name: string) => `Create key ${name}`,
    existing: 'Or use an existing key: set FLOE_API_KEY to it, or enter it in place of <your key>.',
    copyRequest: 'Copy message to request a key',
    requestText: (name: string, origin: string) =>
      `Please create a platform key for me in Floe. Name: ${name}. Scope: gateway. ${origin}`,
    requestCopied: 'Message copied. Send it to an owner or admin.',
    shownOnce: (last4: string) =>
      `This is the only time the full key is shown. The settings below contain it until you leave this page. After that, only …${last4} is shown.`,
    copy: 'Copy key',
  },
  firstRequest: {
    waiting: (client: string) => `Waiting for the first request from ${client}…`,
    connected: (client: string) => `${client} is connected.`,
    rejected: 'The request reached Floe, but failed.',
    succeeded: (model: string, status: string, latency: string, cost: string) =>
      `Model ${model}: status ${status} in ${latency}, cost ${cost}.`,
    failed: (model: string, status: string, reason: string | null) =>
      `Model ${model}: status ${status}${reason ? `, ${reason}` : ''}.`,
    open: 'Open request',
  },
} as const;

/** Notes that apply to several clients. */
export const sharedClientNotes = {
  fullModelId: 'Enter the model ID exactly as shown, including the slash.',
  baseUrlWithoutVersion: 'The base URL ends in /gateway, without /v1.',
  baseUrlWithVersion: 'Use a base URL that ends in /gateway/v1.',
  startAndPrompt: (command: string) => `Start ${command} and send a prompt.`,
  printsAnswer: 'The program prints the response.',
} as const;
