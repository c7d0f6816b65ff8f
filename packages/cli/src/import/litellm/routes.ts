import { escapeVariableReferences } from '@floe/contract/config/variable-references';
import type { ConfigDraft, ConfigEntryFields, ImportedTarget } from '../config-draft.ts';
import type { LitellmDeployment } from './deployment.ts';
import type { LitellmRouterSettings } from './router-settings.ts';

/** A group of `model_list` as a route of Floe. */
interface Group {
  readonly name: string;
  readonly deployments: readonly LitellmDeployment[];
}

/** Groups the deployments by `model_name`. */
export function groupLitellmDeployments(
  deployments: readonly LitellmDeployment[],
): ReadonlyMap<string, Group> {
  const byName = Map.groupBy(deployments, ({ group }) => group);
  return new Map([...byName].map(([name, members]) => [name, { name, deployments: members }]));
}

/**
 * Adds a route for each group of deployments and for each alias. If all deployments of a group have rate
 * limits, also adds a limit with their sum.
 */
export function addLitellmRoutes(
  draft: ConfigDraft,
  deployments: readonly LitellmDeployment[],
  settings: LitellmRouterSettings,
): void {
  const isWildcard = ({ target }: LitellmDeployment) => target.includes('*');
  const groups = groupLitellmDeployments(deployments.filter((deployment) => !isWildcard(deployment)));
  for (const group of groups.values()) {
    draft.routes.set(escapeVariableReferences(group.name), buildRoute(group, groups, settings));
    allowOnProvider(draft, group.name);
    addCapacityLimit(draft, group);
  }
  for (const { target } of deployments.filter(isWildcard))
    if (settings.retries !== undefined || settings.hasTimeouts)
      draft.routes.set(target, {
        ...(settings.retries !== undefined && { retries: settings.retries }),
        ...(settings.hasTimeouts && { timeouts: settings.timeouts }),
      });
  settings.reportMissingFallbacks((name) => findFallbackTargets(name, groups, settings).length > 0);
  for (const [alias, model] of settings.aliases) {
    const group = groups.get(model);
    const isKnown = group !== undefined || draft.hasProvider(model.split('/')[0] ?? '');
    if (draft.routes.has(escapeVariableReferences(alias)) || !isKnown) settings.rejectAlias(alias);
    else if (group) draft.routes.set(escapeVariableReferences(alias), buildRoute(group, groups, settings));
    else draft.routes.set(escapeVariableReferences(alias), { targets: [escapeVariableReferences(model)] });
    if (isKnown) allowOnProvider(draft, alias);
  }
}

/**
 * Adds a name such as `openai/gpt-5` to the allowlist of the provider `openai`, which Floe requires for any
 * target.
 */
function allowOnProvider(draft: ConfigDraft, name: string): void {
  const slash = name.indexOf('/');
  const provider = draft.providers.find(({ id }) => id === name.slice(0, slash));
  if (slash > 0 && provider) provider.models.add(escapeVariableReferences(name.slice(slash + 1)));
}

function buildRoute(
  group: Group,
  groups: ReadonlyMap<string, Group>,
  settings: LitellmRouterSettings,
): Record<string, unknown> {
  const own = listTargets(group, settings);
  const fallbacks = listFallbacks(group, groups, settings).filter(
    (model) => !own.some((target) => target.model === model),
  );
  const targets = [...own, ...fallbacks.map((model) => ({ model, weight: 0 }))];
  const balanced = own.filter(({ weight }) => weight > 0).length > 1;
  const isLatency = settings.strategy === 'least_latency' && own.length === targets.length;
  const strategy = !balanced ? undefined : isLatency ? 'least_latency' : 'weighted';
  const timeouts = { ...settings.timeouts, ...shortestTimeouts(group.deployments) };
  return {
    ...(strategy !== undefined && { strategy }),
    targets: targets.map(({ model, weight }) =>
      strategy === 'weighted' && weight !== 1 ? { model, weight } : model,
    ),
    ...(settings.retries !== undefined && { retries: settings.retries }),
    ...(Object.keys(timeouts).length > 0 && { timeouts }),
  };
}

/**
 * Lists targets by `order`, lowest first. Only targets with the lowest order get traffic. The others have the
 * weight 0.
 */
function listTargets({ deployments }: Group, settings: LitellmRouterSettings): ImportedTarget[] {
  const first = Math.min(...deployments.map(({ order }) => order));
  const shared = deployments.filter(({ order }) => order === first);
  const weightOf = chooseWeights(shared, settings);
  const weights = new Map<string, number>();
  for (const deployment of [...deployments].sort((a, b) => a.order - b.order)) {
    const weight = deployment.order === first ? weightOf(deployment) : 0;
    weights.set(deployment.target, (weights.get(deployment.target) ?? 0) + weight);
  }
  return [...weights].map(([model, weight]) => ({ model, weight }));
}

/**
 * Chooses weights like simple-shuffle: by `weight`, else by `rpm`, else by `tpm`, depending on the first
 * entry.
 */
function chooseWeights(deployments: readonly LitellmDeployment[], { isShuffle }: LitellmRouterSettings) {
  if (!isShuffle) return () => 1;
  const field = (['weight', 'rpm', 'tpm'] as const).find((name) =>
    deployments.some((one) => one[name] !== undefined),
  );
  return (deployment: LitellmDeployment) => (field === undefined ? 1 : (deployment[field] ?? 0));
}

/** Targets of the fallback groups of this group. */
function listFallbacks(
  group: Group,
  groups: ReadonlyMap<string, Group>,
  settings: LitellmRouterSettings,
): readonly string[] {
  const names = settings.fallbacks.get(group.name) ?? settings.defaultFallbacks;
  const more = settings.contextFallbacks.get(group.name) ?? [];
  const models = [...names, ...more]
    .filter((name) => name !== group.name)
    .flatMap((name) => findFallbackTargets(name, groups, settings));
  return [...new Set(models)];
}

/** The targets of a fallback model. Empty if the model is not imported. */
function findFallbackTargets(
  name: string,
  groups: ReadonlyMap<string, Group>,
  settings: LitellmRouterSettings,
): readonly string[] {
  const group = groups.get(settings.aliases.get(name) ?? name);
  if (group) return listTargets(group, settings).map(({ model }) => model);
  return settings.isWildcardModel(name) ? [escapeVariableReferences(name)] : [];
}

function shortestTimeouts(deployments: readonly LitellmDeployment[]): ConfigEntryFields {
  const shortest: Record<string, number> = {};
  for (const { timeouts } of deployments)
    for (const [name, value] of Object.entries(timeouts))
      if (typeof value === 'number') shortest[name] = Math.min(shortest[name] ?? value, value);
  return shortest;
}

/** Adds a limit with the total capacity, if every deployment has one. */
function addCapacityLimit(draft: ConfigDraft, { name, deployments }: Group): void {
  const sumOf = (field: 'rpm' | 'tpm' | 'concurrency') => {
    const values = deployments.map((deployment) => deployment[field]);
    if (values.some((value) => value === undefined || value < 1)) return undefined;
    return Math.floor(values.reduce<number>((sum, value) => sum + (value ?? 0), 0));
  };
  const caps = { rpm: sumOf('rpm'), tpm: sumOf('tpm'), concurrency: sumOf('concurrency') };
  if (Object.values(caps).every((value) => value === undefined)) return;
  draft.addLimit(`model-${name}`, { scope: 'org', model: escapeVariableReferences(name), ...caps });
}
