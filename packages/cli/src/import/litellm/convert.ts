import type { ConfigDraft } from '../config-draft.ts';
import type { ImportSourceObject } from '../import-source-object.ts';
import { importLitellmDatabase, type LitellmTables } from './database.ts';
import { convertLitellmDeployment, type LitellmDeployment } from './deployment.ts';
import { readLitellmRouterSettings } from './router-settings.ts';
import { addLitellmRoutes } from './routes.ts';
import {
  convertLitellmGeneralSettings,
  convertLitellmSettings,
  reportLitellmEnvironmentVariables,
} from './settings.ts';

const SECTION_REASONS: Readonly<Record<string, string>> = {
  include: 'merge the included files into one file before the import',
  guardrails: 'write policies in floe.yaml',
  mcp_servers: 'Floe is not an MCP gateway; the relay controls which tools agents use',
  vector_store_registry: 'Floe has no vector stores',
  search_tools: 'Floe has no search tools',
  credential_list: 'set api_key on each model before the import',
  finetune_settings: 'set orgs[].passthrough in floe.yaml',
  files_settings: 'clients select the provider of a file with the header x-floe-provider',
};

/** Converts a LiteLLM configuration and, if `tables` is given, the contents of the LiteLLM database. */
export function convertLitellm(
  root: ImportSourceObject,
  draft: ConfigDraft,
  tables: LitellmTables | null,
): void {
  const entries = root.objects('model_list');
  // A wildcard entry uses its prefix as the provider id, so it must choose the id before other entries.
  const wildcards = entries.filter(isWildcardEntry);
  const others = entries.filter((entry) => !wildcards.includes(entry));
  const deployments: LitellmDeployment[] = [...wildcards, ...others].flatMap(
    (entry) => convertLitellmDeployment(entry, draft) ?? [],
  );
  const prefixes = new Set(
    deployments.filter(({ target }) => target.includes('*')).map(({ target }) => target.split('/')[0] ?? ''),
  );
  const router = root.object('router_settings');
  const litellm = root.object('litellm_settings');
  const settings = readLitellmRouterSettings(router, litellm, prefixes);
  if (!settings.isShuffle) for (const entry of entries) reportUnusedWeight(entry);
  addBreakers(draft, [litellm, router]);
  addLitellmRoutes(draft, deployments, settings);
  if (litellm) convertLitellmSettings(litellm, draft);
  router?.finish();
  const general = root.object('general_settings');
  if (general) convertLitellmGeneralSettings(general, draft);
  const variables = root.object('environment_variables');
  if (variables) reportLitellmEnvironmentVariables(variables);
  root.leaveOut(SECTION_REASONS);
  root.finish();
  if (tables) importLitellmDatabase({ tables, draft, deployments, context: root.context });
}

function isWildcardEntry(entry: ImportSourceObject): boolean {
  return entry.has('model_name') && String(entry.raw('model_name')).includes('*');
}

/** Reports the weight of a deployment if the routing strategy ignores weights. */
function reportUnusedWeight(entry: ImportSourceObject): void {
  const params = entry.object('litellm_params');
  if (params?.has('weight'))
    params.note('weight', 'not_imported', 'only the routing strategy simple-shuffle uses weights');
}

/** Converts LiteLLM cooldowns to Floe breakers. These breakers close automatically. */
function addBreakers(draft: ConfigDraft, sources: readonly (ImportSourceObject | undefined)[]): void {
  for (const source of sources) {
    const fails = source?.number('allowed_fails');
    const cooldown = source?.number('cooldown_time');
    if (fails !== undefined)
      source?.note('allowed_fails', 'changed', 'became breaker.consecutive_failures, increased by 1');
    if (cooldown !== undefined)
      source?.note('cooldown_time', 'changed', 'became breaker.open_ms, at least 0.1 and at most 20 seconds');
    if (fails === undefined && cooldown === undefined) continue;
    for (const { fields } of draft.providers)
      fields['breaker'] = {
        ...(typeof fields['breaker'] === 'object' ? fields['breaker'] : {}),
        ...(fails !== undefined && { consecutive_failures: Math.floor(fails) + 1 }),
        ...(cooldown !== undefined && {
          open_ms: Math.min(20_000, Math.max(100, Math.round(cooldown * 1000))),
        }),
      };
  }
}
