import { CounterFamily } from './metric-families.ts';

/** The values that the metrics record for one attempt, which is one call to a provider. */
export interface AttemptMetricValues {
  readonly provider: string;
  readonly model: string;
  readonly credential: string;
  readonly error: string | null;
}

/** The values that the metrics record for one exchange. */
export interface UsageMetricValues {
  readonly orgId: string;
  readonly surface: string;
  readonly provider: string;
  readonly model: string;
  readonly team: string;
  readonly costUsd: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /**
   * The reason for blocking the exchange: limit, budget, policy, allowlist or price. Null if it was not
   * blocked.
   */
  readonly blockedBy: string | null;
  readonly attempts: readonly AttemptMetricValues[];
}

/** Maximum number of values of a label. Organizations choose the ids of their providers and teams. */
const MAX_LABEL_VALUES = 200;

/**
 * Limits the number of distinct values of a label. All further values are replaced with `other`, so that clients
 * cannot use up the memory of Prometheus. An organization can add a value only while it has added fewer values than
 * are still free. No organization can therefore use more than half of the values.
 */
export class LabelValueLimiter {
  readonly #known = new Set<string>();
  /** Number of values that each organization added. */
  readonly #addedByOrg = new Map<string, number>();

  admit(orgId: string, value: string): string {
    if (this.#known.has(value)) return value;
    const added = this.#addedByOrg.get(orgId) ?? 0;
    if (added >= MAX_LABEL_VALUES - this.#known.size) return 'other';
    this.#known.add(value);
    this.#addedByOrg.set(orgId, added + 1);
    return value;
  }
}

/** Counts usage, cost, attempts and blocked exchanges. */
export class ExchangeMetrics {
  readonly #models = new LabelValueLimiter();
  readonly #teams = new LabelValueLimiter();
  readonly #providers = new LabelValueLimiter();
  readonly #tokens = new CounterFamily({
    name: 'floe_tokens_total',
    help: 'Number of tokens of finished exchanges, reported by the provider or estimated, by provider, model, surface and type (input or output).',
    labels: ['provider', 'model', 'surface', 'type'],
  });
  readonly #cost = new CounterFamily({
    name: 'floe_cost_usd_total',
    help: 'Cost of finished exchanges in US dollars, by provider, model and surface.',
    labels: ['provider', 'model', 'surface'],
  });
  readonly #teamTokens = new CounterFamily({
    name: 'floe_team_tokens_total',
    help: 'Number of tokens of finished exchanges, reported by the provider or estimated, by the platform key’s team and by type (input or output).',
    labels: ['team', 'type'],
  });
  readonly #teamCost = new CounterFamily({
    name: 'floe_team_cost_usd_total',
    help: 'Cost of finished exchanges in US dollars, by the platform key’s team.',
    labels: ['team'],
  });
  readonly #attempts = new CounterFamily({
    name: 'floe_upstream_attempts_total',
    help: 'Number of calls to providers for finished exchanges, by provider and result (success or an error code).',
    labels: ['provider', 'result'],
  });
  readonly #retries = new CounterFamily({
    name: 'floe_upstream_retries_total',
    help: 'Number of retries with the same target (provider, model and credential), by provider.',
    labels: ['provider'],
  });
  readonly #failovers = new CounterFamily({
    name: 'floe_failovers_total',
    help: 'Number of calls to another target after a failure, by the provider of the failed target.',
    labels: ['provider'],
  });
  readonly #blocked = new CounterFamily({
    name: 'floe_exchanges_blocked_total',
    help: 'Number of exchanges that Floe blocked, by surface and reason (limit, budget, policy, allowlist or price).',
    labels: ['surface', 'reason'],
  });

  /** Returns the label value for a provider. */
  labelOfProvider(orgId: string, provider: string): string {
    return this.#providers.admit(orgId, provider);
  }

  record(figures: UsageMetricValues): void {
    const { orgId, surface, blockedBy } = figures;
    if (blockedBy !== null) this.#blocked.add(1, surface, blockedBy);
    this.#recordAttempts(figures);
    const { costUsd, inputTokens, outputTokens } = figures;
    if (inputTokens === 0 && outputTokens === 0 && costUsd === 0) return;
    const provider = this.labelOfProvider(orgId, figures.provider);
    const model = this.#models.admit(orgId, figures.model);
    const team = this.#teams.admit(orgId, figures.team);
    if (costUsd > 0) {
      this.#cost.add(costUsd, provider, model, surface);
      this.#teamCost.add(costUsd, team);
    }
    for (const [type, tokens] of [['input', inputTokens] as const, ['output', outputTokens] as const]) {
      if (tokens === 0) continue;
      this.#tokens.add(tokens, provider, model, surface, type);
      this.#teamTokens.add(tokens, team, type);
    }
  }

  #recordAttempts({ orgId, attempts }: UsageMetricValues): void {
    let last: AttemptMetricValues | null = null;
    for (const attempt of attempts) {
      this.#attempts.add(1, this.labelOfProvider(orgId, attempt.provider), attempt.error ?? 'success');
      if (last !== null) {
        const isSame =
          last.provider === attempt.provider &&
          last.model === attempt.model &&
          last.credential === attempt.credential;
        if (isSame) this.#retries.add(1, this.labelOfProvider(orgId, attempt.provider));
        else this.#failovers.add(1, this.labelOfProvider(orgId, last.provider));
      }
      last = attempt;
    }
  }

  render(): string {
    const tables = [this.#tokens, this.#cost, this.#teamTokens, this.#teamCost];
    const counts = [this.#attempts, this.#retries, this.#failovers, this.#blocked];
    return [...tables, ...counts].map((table) => table.render()).join('');
  }
}
