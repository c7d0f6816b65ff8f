/** A set of features that can be switched on for an organization. */
export interface FloeFeature {
  readonly id: 'plain' | 'limits' | 'condition' | 'detectors' | 'all';
  readonly label: string;
  /** Fields of the organization in floe.yaml. */
  readonly org: Readonly<Record<string, unknown>>;
}

/** No request of a bench reaches them: what costs CPU is the counting. */
const LIMITS_AND_BUDGETS = {
  limits: [
    { name: 'org', scope: 'org', rpm: 10_000_000, tpm: 1_000_000_000_000 },
    { name: 'key', per: 'key', rpm: 10_000_000, concurrency: 10_000 },
  ],
  budgets: [
    { name: 'org', scope: 'org', period: 'month', mode: 'soft', limit_usd: 1_000_000_000 },
    { name: 'key', per: 'key', period: 'month', mode: 'hard', limit_usd: 1_000_000_000 },
  ],
};
const CONDITION = {
  name: 'cap',
  on: 'request',
  when: 'request.max_tokens > 8000',
  action: 'deny',
  mode: 'enforce',
};
const DETECTORS = {
  name: 'detect',
  on: 'request',
  detect: { secrets: true, pii: ['credit_card'] },
  action: 'deny',
  mode: 'enforce',
};

/** From none to all. Every request passes all of them. */
export const FEATURES = [
  { id: 'plain', label: 'key, row and metrics', org: {} },
  { id: 'limits', label: 'two limits, a hard and a soft budget', org: LIMITS_AND_BUDGETS },
  { id: 'condition', label: 'one policy with a condition', org: { policies: [CONDITION] } },
  { id: 'detectors', label: 'detectors for secrets and card numbers', org: { policies: [DETECTORS] } },
  { id: 'all', label: 'all of these', org: { ...LIMITS_AND_BUDGETS, policies: [CONDITION, DETECTORS] } },
] as const satisfies readonly FloeFeature[];

/** The fields as lines of floe.yaml, indented by four: each value is JSON, which is YAML too. */
export function formatOrgFields(org: FloeFeature['org']): string {
  return Object.entries(org)
    .map(([name, value]) => `    ${name}: ${JSON.stringify(value)}\n`)
    .join('');
}
