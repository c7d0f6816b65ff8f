import { Document } from 'yaml';

/** The fields of an entry in floe.yaml. Undefined fields are omitted. */
export type ConfigEntryFields = Readonly<Record<string, unknown>>;

/**
 * A target of a route that the import creates. `model` is `<provider>/<model>` or the name of another route.
 */
export interface ImportedTarget {
  readonly model: string;
  readonly weight: number;
}

/** A provider that the import creates. */
export interface ImportedProvider {
  readonly id: string;
  readonly fields: Record<string, unknown>;
  /** Allowlist of model ids. */
  readonly models: Set<string>;
  readonly prices: Map<string, ConfigEntryFields>;
  readonly deployments: Map<string, string>;
}

/**
 * Converts a text to an id for floe.yaml: lowercase, and at most 60 characters. Returns `fallback` if no valid
 * character is left.
 */
export function toSlug(text: string, fallback: string): string {
  const slug = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 60)
    .replace(/-+$/, '');
  return slug === '' ? fallback : slug;
}

/** Makes names unique by appending numbers: `ci`, `ci-2`, … */
export class UniqueNameGenerator {
  readonly #taken = new Set<string>();

  take(name: string): string {
    for (let n = 1; ; n += 1) {
      const candidate = n === 1 ? name : `${name}-${n}`;
      if (this.#taken.has(candidate)) continue;
      this.#taken.add(candidate);
      return candidate;
    }
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }
}

/** The configuration of an organization that the import creates. */
export class ConfigDraft {
  readonly settings: Record<string, unknown> = {};
  readonly teams: ConfigEntryFields[] = [];
  readonly keys: ConfigEntryFields[] = [];
  readonly routes = new Map<string, Record<string, unknown>>();
  readonly providers: ImportedProvider[] = [];
  readonly #limits: ConfigEntryFields[] = [];
  readonly #budgets: ConfigEntryFields[] = [];
  readonly #providerIds = new UniqueNameGenerator();
  readonly #limitNames = new UniqueNameGenerator();
  readonly #budgetNames = new UniqueNameGenerator();
  readonly #providersByFields = new Map<string, ImportedProvider>();

  /**
   * Returns the provider that has exactly these fields. If there is none, adds one with the given id. If the id
   * is already in use, appends a number to it.
   */
  provider(id: string, fields: ConfigEntryFields): ImportedProvider {
    const fingerprint = JSON.stringify(fields);
    const known = this.#providersByFields.get(fingerprint);
    if (known) return known;
    const provider: ImportedProvider = {
      id: this.#providerIds.take(toSlug(id, 'provider')),
      fields: { ...fields },
      models: new Set(),
      prices: new Map(),
      deployments: new Map(),
    };
    this.#providersByFields.set(fingerprint, provider);
    this.providers.push(provider);
    return provider;
  }

  hasProvider(id: string): boolean {
    return this.#providerIds.has(id);
  }

  addLimit(name: string, fields: ConfigEntryFields): void {
    this.#limits.push({ name: this.#limitNames.take(toSlug(name, 'limit')), ...fields });
  }

  addBudget(name: string, fields: ConfigEntryFields): void {
    this.#budgets.push({ name: this.#budgetNames.take(toSlug(name, 'budget')), ...fields });
  }

  hasHardBudgets(): boolean {
    return this.#budgets.some(({ mode }) => mode !== 'soft');
  }

  count(): Readonly<Record<string, number>> {
    return {
      providers: this.providers.length,
      routes: this.routes.size,
      keys: this.keys.length,
      teams: this.teams.length,
      limits: this.#limits.length,
      budgets: this.#budgets.length,
    };
  }

  toConfig(orgId: string): ConfigEntryFields {
    const org = {
      id: orgId,
      ...this.settings,
      teams: this.teams,
      keys: this.keys,
      providers: this.providers.map(toProviderFields),
      routes: [...this.routes].map(([model, fields]) => ({ model, ...fields })),
      limits: this.#limits,
      budgets: this.#budgets,
    };
    const used = Object.entries(org).filter(([, value]) => !Array.isArray(value) || value.length > 0);
    return { orgs: [Object.fromEntries(used)] };
  }
}

function toProviderFields({ id, fields, models, prices, deployments }: ImportedProvider): ConfigEntryFields {
  return {
    id,
    ...fields,
    ...(models.size > 0 && { models: [...models] }),
    ...(prices.size > 0 && { prices: Object.fromEntries(prices) }),
    ...(deployments.size > 0 && { deployments: Object.fromEntries(deployments) }),
  };
}

/** Formats a configuration as floe.yaml, with comment lines at the top. */
export function formatFloeYaml(config: ConfigEntryFields, comment: readonly string[]): string {
  // Also quotes text that YAML 1.1 reads as another type, because other tools read the file.
  const document = new Document(JSON.parse(JSON.stringify(config)), { version: '1.2', compat: 'yaml-1.1' });
  document.commentBefore = comment.map((line) => ` ${line}`).join('\n');
  return document.toString({ lineWidth: 0 });
}
