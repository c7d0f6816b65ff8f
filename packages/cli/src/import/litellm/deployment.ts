import { escapeVariableReferences } from '@floe/contract/config/variable-references';
import type { ConfigDraft, ConfigEntryFields, ImportedProvider } from '../config-draft.ts';
import type { ImportSourceObject } from '../import-source-object.ts';
import {
  findKnownProvider,
  guessProviderFromModel,
  type KnownProvider,
  stripApiPrefix,
} from '../known-providers.ts';
import { convertLitellmProviderFields } from './provider-fields.ts';

/** An entry of `model_list`, converted to a target. */
export interface LitellmDeployment {
  /** `model_name`. Entries with the same name form a group. */
  readonly group: string;
  readonly target: string;
  readonly weight: number | undefined;
  readonly order: number;
  readonly rpm: number | undefined;
  readonly tpm: number | undefined;
  readonly concurrency: number | undefined;
  readonly timeouts: ConfigEntryFields;
  readonly accessGroups: readonly string[];
}

const PARAMETER_REASONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'temperature',
      'top_p',
      'max_tokens',
      'seed',
      'stop',
      'stream',
      'extra_body',
      'n',
      'user',
      'metadata',
    ].map((name) => [
      name,
      'send this parameter with each request, or set it in the body field of the provider',
    ]),
  ),
  drop_params:
    'Floe always removes fields that a provider does not support and lists them in the response header x-floe-dropped',
  additional_drop_params: 'Floe removes only fields that a provider does not support',
  max_retries: 'set retries in the route',
  num_retries: 'set retries in the route',
  tags: 'Floe does not route by tags',
  mock_response: 'use a provider of the kind sandbox for test responses',
  input_cost_per_second: 'Floe supports prices per second only for audio (unit audio_second)',
  output_cost_per_second: 'Floe supports prices per second only for audio (unit audio_second)',
  azure_ad_token: 'Floe authenticates to Azure with api_key',
  tenant_id: 'Floe authenticates to Azure with api_key',
  client_id: 'Floe authenticates to Azure with api_key',
  client_secret: 'Floe authenticates to Azure with api_key',
  aws_session_name: 'Floe chooses the session name',
  aws_web_identity_token: 'set AWS_WEB_IDENTITY_TOKEN_FILE',
  aws_sts_endpoint: 'Floe uses the regional STS endpoint',
  max_budget: 'Floe budgets apply to organizations, teams, keys, owners and end users, not to deployments',
  budget_duration:
    'Floe budgets apply to organizations, teams, keys, owners and end users, not to deployments',
  use_in_pass_through: 'set orgs[].passthrough in floe.yaml',
  merge_reasoning_content_in_choices: 'set chat_reasoning in floe.yaml',
};

/** Splits `provider/model` of `litellm_params.model`. */
function splitModel(params: ImportSourceObject): { name: string; model: string } | undefined {
  const value = params.text('model');
  if (value === undefined) {
    if (!params.has('model')) params.problem('model', 'is required');
    return undefined;
  }
  const named = params.text('custom_llm_provider');
  if (named !== undefined) return { name: named, model: value.replace(`${named}/`, '') };
  const slash = value.indexOf('/');
  if (slash > 0 && findKnownProvider(value.slice(0, slash)))
    return { name: value.slice(0, slash), model: value.slice(slash + 1) };
  const guess = guessProviderFromModel(value);
  if (guess !== undefined && slash < 0) return { name: guess, model: value };
  if (slash > 0) return { name: value.slice(0, slash), model: value.slice(slash + 1) };
  return value === '*' ? { name: '*', model: '*' } : { name: 'openai', model: value };
}

/**
 * Converts an entry of `model_list` to a target. Returns null if Floe has no equivalent; the report then
 * contains the reason.
 */
export function convertLitellmDeployment(
  entry: ImportSourceObject,
  draft: ConfigDraft,
): LitellmDeployment | null {
  const group = entry.text('model_name');
  if (group === undefined && !entry.has('model_name')) entry.problem('model_name', 'is required');
  const params = entry.object('litellm_params');
  if (!params && !entry.has('litellm_params')) entry.problem('litellm_params', 'is required');
  const info = entry.object('model_info');
  const found = params && group !== undefined ? createTarget({ params, info, group }, draft) : null;
  const deployment = params && found && group ? readRouting(params, info, group, found) : null;
  if (params) {
    params.leaveOut(PARAMETER_REASONS);
    if (!found) params.leaveOutRest('the deployment is not imported');
    if (found) readPrices(found, params, info);
    params.finish();
  }
  if (!deployment && group !== undefined)
    entry.note('model_name', 'not_imported', 'the deployment is not imported');
  info?.leaveOutRest('Floe uses its own data about models');
  info?.finish();
  entry.finish();
  return deployment;
}

interface FoundTarget {
  readonly provider: ImportedProvider;
  readonly model: string;
}

interface DeploymentSource {
  readonly params: ImportSourceObject;
  readonly info: ImportSourceObject | undefined;
  readonly group: string;
}

function createTarget({ params, info, group }: DeploymentSource, draft: ConfigDraft): FoundTarget | null {
  const parts = splitModel(params);
  if (!parts) return null;
  const provider = findKnownProvider(parts.name);
  if (!provider) {
    params.note('model', 'not_imported', 'Floe has no provider of this kind');
    return null;
  }
  const fields = convertLitellmProviderFields(params, provider);
  if (!fields) {
    params.note('model', 'not_imported', 'this kind of provider requires a valid URL in api_base');
    return null;
  }
  const { model, region } = splitRegion(provider, stripApiPrefix(provider.kind, parts.model));
  if (/\s/.test(model) || model === '') {
    params.note('model', 'not_imported', 'must not be empty or contain spaces');
    return null;
  }
  const all = region === undefined || 'region' in fields ? fields : { ...fields, region };
  const isWildcard = model.includes('*');
  if (isWildcard && !isOwnPrefix(group, model)) {
    const reason =
      'a Floe route cannot insert the text that a wildcard matched; call the model as <provider>/<model>, or list each model';
    params.note('model', 'not_imported', reason);
    return null;
  }
  const prefix = isWildcard ? group.slice(0, group.indexOf('/')) : parts.name;
  const found = draft.provider(prefix, all);
  if (isWildcard && found.id !== prefix) {
    params.note(
      'model',
      'not_imported',
      `another provider with different settings already has the id ${prefix}`,
    );
    return null;
  }
  if (provider.isOriginOnly) return nameDeployment(found, model, info);
  found.models.add(escapeVariableReferences(model));
  const arn = params.yamlText('model_id');
  if (arn !== undefined) found.deployments.set(escapeVariableReferences(model), arn);
  return { provider: found, model };
}

/** Names a deployment. If the name equals its model, it has the catalog price of the model. */
function nameDeployment(
  provider: ImportedProvider,
  deployment: string,
  info: ImportSourceObject | undefined,
): FoundTarget {
  const base = info?.text('base_model')?.replace(/^.*\//, '');
  const taken = base === undefined ? undefined : provider.deployments.get(escapeVariableReferences(base));
  const isFree = taken === undefined || taken === escapeVariableReferences(deployment);
  const model = base === undefined || base === deployment || !isFree ? deployment : base;
  if (model !== deployment) {
    provider.deployments.set(escapeVariableReferences(model), escapeVariableReferences(deployment));
    info?.note('base_model', 'changed', 'became an entry in the field deployments of the provider');
  }
  provider.models.add(escapeVariableReferences(model));
  return { provider, model };
}

/**
 * Whether a group such as `openai/*` only repeats the provider, because Floe routes by the provider id before
 * the slash.
 */
function isOwnPrefix(group: string, model: string): boolean {
  const slash = group.indexOf('/');
  return (
    slash > 0 && group.slice(slash + 1) === model && /^[a-z0-9][a-z0-9._-]*$/.test(group.slice(0, slash))
  );
}

/** Splits a model name of the form `<region>/<model>`. Some clouds use this form. */
function splitRegion({ hasRegionInModel }: KnownProvider, model: string): { model: string; region?: string } {
  const match = hasRegionInModel ? /^([a-z]{2}(?:-[a-z]+)+-\d)\/(.+)$/.exec(model) : null;
  return match ? { model: match[2] ?? '', region: match[1] ?? '' } : { model };
}

function readRouting(
  params: ImportSourceObject,
  info: ImportSourceObject | undefined,
  group: string,
  { provider, model }: FoundTarget,
): LitellmDeployment {
  for (const field of ['rpm', 'tpm', 'max_parallel_requests'])
    if (params.has(field))
      params.note(
        field,
        'changed',
        'became part of a limit for the model: the sum of the values in all model_list entries of the model; if one of these entries has no value, the limit is not imported',
      );
  return {
    group,
    target: `${provider.id}/${escapeVariableReferences(model)}`,
    weight: params.number('weight'),
    order: params.number('order') ?? 1,
    rpm: params.number('rpm'),
    tpm: params.number('tpm'),
    concurrency: params.number('max_parallel_requests'),
    timeouts: convertLitellmTimeouts(params, 'timeout', 'stream_timeout'),
    accessGroups: info?.texts('access_groups') ?? [],
  };
}

/**
 * Converts the timeouts of LiteLLM. A timeout in LiteLLM limits the time until the response starts and the time
 * between its chunks. Floe has separate timeouts for these.
 * @param name The field with the timeout.
 * @param streamName The field with the timeout for streamed responses.
 */
export function convertLitellmTimeouts(
  source: ImportSourceObject,
  name: string,
  streamName: string,
): ConfigEntryFields {
  const toMs = (seconds: number | undefined) =>
    seconds === undefined || seconds === 0 ? undefined : Math.max(1, Math.round(seconds * 1000));
  const total = toMs(source.number(name));
  const stream = toMs(source.number(streamName)) ?? total;
  if (total !== undefined)
    source.note(
      name,
      'changed',
      'became timeouts.headers_ms and timeouts.idle_ms, and also timeouts.first_token_ms if no timeout for streams is set',
    );
  if (source.has(streamName)) source.note(streamName, 'changed', 'became timeouts.first_token_ms');
  return {
    ...(total !== undefined && { headers_ms: total, idle_ms: total }),
    ...(stream !== undefined && { first_token_ms: stream }),
  };
}

const PRICES = {
  input: 'input_cost_per_token',
  output: 'output_cost_per_token',
  cache_read: 'cache_read_input_token_cost',
  cache_write: 'cache_creation_input_token_cost',
} as const;

function readPrices(
  { provider, model }: FoundTarget,
  params: ImportSourceObject,
  info: ImportSourceObject | undefined,
): void {
  const perMillion = Object.entries(PRICES).flatMap(([name, field]) => {
    const source = params.has(field) ? params : info;
    const price = source?.number(field);
    if (price === undefined) return [];
    source?.note(field, 'changed', 'became a price in USD per million tokens');
    return [[name, Number((price * 1e6).toPrecision(10))] as const];
  });
  if (perMillion.length === 0) return;
  const prices = { input: 0, output: 0, ...Object.fromEntries(perMillion) };
  if (!provider.prices.has(escapeVariableReferences(model)))
    provider.prices.set(escapeVariableReferences(model), prices);
}
