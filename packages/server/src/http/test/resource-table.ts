/** The test data for one resource kind. */
export interface TestedKind {
  readonly path: `/api/${string}`;
  /** Body of a creation with this name. */
  body(name: string): object;
  /** Fields of a change. */
  readonly change: object;
  /** The response field with its name. Absent: `name`. */
  readonly named?: 'id' | 'name' | 'slug' | 'model' | 'rule';
  /** False for kinds that floe.yaml cannot define. */
  readonly isInFile?: false;
  /** `revoke` if `DELETE` keeps the resource. Absent if it removes the resource. */
  readonly removal?: 'revoke';
}

const ROUTED = { targets: ['lent/echo'], retries: 1 };

/** The tested resource kinds, by the subject of their operations. */
export const TESTED_KINDS: Readonly<Record<string, TestedKind>> = {
  teams: {
    path: '/api/management/teams',
    body: (name) => ({ id: name }),
    change: { cost_center: '4711' },
  },
  keys: {
    path: '/api/management/keys',
    body: (name) => ({ name, scopes: ['read'] }),
    change: { owner: 'ops' },
    removal: 'revoke',
  },
  providers: {
    path: '/api/management/providers',
    body: (name) => ({ id: name, kind: 'sandbox' }),
    change: { enabled: false },
    named: 'id',
  },
  routes: {
    path: '/api/management/routes',
    body: (name) => ({ model: name, ...ROUTED }),
    change: { retries: 2 },
    named: 'model',
  },
  policies: {
    path: '/api/management/policies',
    body: (name) => ({ name, on: 'request', when: 'true', action: 'flag' }),
    change: { message: 'Ask first.' },
  },
  limits: {
    path: '/api/management/limits',
    body: (name) => ({ name, scope: 'org', rpm: 5 }),
    change: { rpm: 6 },
  },
  budgets: {
    path: '/api/management/budgets',
    body: (name) => ({ name, scope: 'org', period: 'day', limit_usd: 5 }),
    change: { limit_usd: 4 },
  },
  relay_rules: {
    path: '/api/management/relay/rules',
    body: (name) => ({ name, on: 'shell', match: { command: 'rm' }, decision: 'deny' }),
    change: { decision: 'ask' },
    named: 'rule',
  },
  views: {
    path: '/api/management/views',
    body: (name) => ({ name, page: 'requests', filters: { status: 'error' } }),
    change: { page: 'analytics' },
    isInFile: false,
  },
  channels: {
    path: '/api/monitoring/channels',
    body: (name) => ({ name, kind: 'webhook', url: 'http://127.0.0.1:9/hook' }),
    change: { realert_minutes: 5 },
  },
  monitors: {
    path: '/api/monitoring/monitors',
    body: (name) => ({ id: name, name, expected_interval_minutes: 5 }),
    change: { description: 'Nightly.' },
  },
  maintenance: {
    path: '/api/monitoring/maintenance',
    body: (name) => ({ name, starts_at: '2027-01-01T00:00:00.000Z', ends_at: '2027-01-02T00:00:00.000Z' }),
    change: { show_on_boards: true },
    isInFile: false,
  },
  boards: {
    path: '/api/monitoring/boards',
    body: (name) => ({ slug: name }),
    change: { public: true },
    named: 'slug',
  },
};
