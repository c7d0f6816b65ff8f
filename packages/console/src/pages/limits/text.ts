const rejected = 'Floe rejects further requests with status 429 and a Retry-After header.';

/** All text on the Limits page, and in the fields that limits and budgets have in common. */
export const limitsText = {
  page: {
    title: 'Limits',
    one: 'limit',
    empty: {
      title: 'No limits',
      text: 'Callers can send requests as fast as the providers allow. Create a limit to cap requests, tokens or concurrent requests.',
    },
    allModels: 'all models',
  },
  columns: { subject: 'Applies to', model: 'Models', source: 'Source', allModels: 'All' },
  bounds: {
    rpm: 'Requests per minute',
    tpm: 'Tokens per minute',
    concurrency: 'Concurrency',
  },
  usage: {
    none: '–',
    each: (max: string) => `${max} each`,
    used: (used: string, max: string) => `${used} of ${max}`,
    reached: (seconds: number) =>
      `Limit reached. New requests are rejected with status 429. The full limit is available again in ${seconds} s.`,
  },
  drawer: {
    title: (subject: string, models: string) => `${subject}, ${models}`,
    usage: 'Current usage',
    rejectedRequests: 'Requests rejected in the last 24 hours',
    created: (subject: string) => `The limit for ${subject} now applies.`,
    saved: (subject: string) => `The limit for ${subject} was saved.`,
  },
  fields: {
    noBound: 'No limit',
    name: 'Name',
    noBounds: 'Enter at least one limit: requests per minute, tokens per minute or concurrency.',
    nameHint: 'Shown to callers when the limit rejects their requests.',
  },
  removal: {
    title: (name: string) => `Delete limit “${name}”?`,
    effect: (subject: string) =>
      `The limit will no longer apply to ${subject}. Other limits and provider limits still apply.`,
  },
  sentence: {
    requests: (requests: string) => `${requests} in any 60 seconds`,
    tokens: (tokens: string) => `${tokens} ${tokens === '1' ? 'token' : 'tokens'} in any 60 seconds`,
    concurrency: (requests: string) => `${requests} concurrent ${requests === '1' ? 'request' : 'requests'}`,
    toModel: (model: string) => ` to ${model}`,
    whole: (subject: string, bounds: string, toModel: string) =>
      `${subject} can send at most ${bounds}${toModel}. ${rejected}`,
  },
  preview: {
    chart: 'Requests per minute, last 24 hours',
    requests: 'Requests',
    limit: 'Limit',
    noneRejected: (limit: string, busiest: string) =>
      `In the last 24 hours, a limit of ${limit} per minute would have rejected no requests. The busiest minute had ${busiest}.`,
    rejected: (limit: string, requests: string, minutes: string, busiest: string) =>
      `In the last 24 hours, ${minutes} had more than ${limit}. This limit would have rejected about ${requests}. The busiest minute had ${busiest}.`,
  },
  subject: {
    appliesTo: 'Applies to',
    names: { org: 'the organization', team: 'team', key: 'key', owner: 'owner', end_user: 'end user' },
    options: {
      'scope:org': 'Entire organization',
      'scope:key': 'One key',
      'scope:team': 'One team',
      'scope:owner': 'One owner',
      'scope:end_user': 'One end user',
      'per:key': 'Each key separately',
      'per:team': 'Each team separately',
      'per:owner': 'Each owner separately',
      'per:end_user': 'Each end user separately',
    },
    each: (name: string) => `each ${name}`,
    labels: { team: 'Team', key: 'Key', owner: 'Owner', end_user: 'End user' },
    keyName: 'Key name',
    name: 'Name',
    models: 'Models',
    allModels: 'All models',
    modelsHint: 'A model ID or a pattern such as openai/*. Leave empty to include all models.',
  },
  storeError: {
    label: 'If Redis is unavailable',
    hint: 'Applies while Floe cannot reach Redis or Valkey.',
    options: {
      local: 'Enforce a share of the limit in each process',
      open: 'Allow requests',
      closed: 'Reject requests with status 503',
    },
  },
} as const;
