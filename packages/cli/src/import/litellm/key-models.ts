import { escapeVariableReferences } from '@floe/contract/config/variable-references';
import type { ConfigDraft } from '../config-draft.ts';
import type { LitellmDeployment } from './deployment.ts';

const MAX_PATTERNS = 200;
/** Names that mean all models. */
const ALL = new Set(['all-proxy-models', '*']);

/** The model patterns that a key may use, and a note for the report. */
export interface AllowedModelPatterns {
  /** Absent: all models. */
  readonly patterns?: readonly string[];
  readonly note: string;
}

/**
 * Returns the models that both a key and its team allow. If a model is a route, adds the targets of the route,
 * because Floe checks both the route and its targets against the patterns.
 */
export function resolveAllowedModels(
  own: readonly string[],
  team: readonly string[],
  { draft, deployments }: { readonly draft: ConfigDraft; readonly deployments: readonly LitellmDeployment[] },
): AllowedModelPatterns {
  const isAll = (models: readonly string[]) => models.length === 0 || models.some((name) => ALL.has(name));
  const usesTeam = own.includes('all-team-models') || isAll(own);
  const names = usesTeam ? team : isAll(team) ? own : own.filter((name) => team.includes(name));
  if (isAll(names) && (usesTeam || own.length === 0)) return { note: '' };
  const expanded = names.flatMap((name) => {
    const members = deployments.filter(({ accessGroups }) => accessGroups.includes(name));
    return members.length > 0 ? members.map(({ group }) => group) : [name];
  });
  const patterns = new Set<string>();
  for (const name of expanded) {
    patterns.add(escapeVariableReferences(name));
    for (const target of targetsOf(draft, escapeVariableReferences(name))) patterns.add(target);
  }
  if (patterns.size > MAX_PATTERNS)
    return {
      patterns: [...patterns].slice(0, MAX_PATTERNS),
      note: `only the first ${MAX_PATTERNS} models were imported`,
    };
  // An empty list allows no model.
  if (patterns.size === 0)
    return {
      patterns: ['no-model'],
      note: 'the key and its team have no models in common, so the key cannot use any model',
    };
  const added =
    patterns.size > names.length
      ? 'any access groups were replaced with their models, and the targets of routes were added'
      : '';
  return { patterns: [...patterns], note: added };
}

function targetsOf(draft: ConfigDraft, model: string): readonly string[] {
  const targets = draft.routes.get(model)?.['targets'];
  if (!Array.isArray(targets)) return [];
  return targets.flatMap((target: unknown) => {
    if (typeof target === 'string') return [target];
    return typeof target === 'object' && target !== null && 'model' in target ? [String(target.model)] : [];
  });
}
