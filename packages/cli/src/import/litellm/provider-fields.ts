import { readProviderBaseUrl } from '../base-url.ts';
import type { ConfigEntryFields } from '../config-draft.ts';
import { type ImportSourceObject, isPlainObject } from '../import-source-object.ts';
import { isBaseUrlRequired, type KnownProvider, resolveProviderKindForUrl } from '../known-providers.ts';

/**
 * Converts the provider settings of a LiteLLM deployment to the fields of a Floe provider, except fields that depend
 * on the model. Returns null if Floe does not support the provider.
 */
export function convertLitellmProviderFields(
  params: ImportSourceObject,
  provider: KnownProvider,
): ConfigEntryFields | null {
  const baseField = ['api_base', 'base_url', 'aws_bedrock_runtime_endpoint'].find((name) => params.has(name));
  const baseUrl =
    baseField === undefined ? provider.baseUrl : readProviderBaseUrl(params, baseField, provider);
  if (isBaseUrlRequired(provider.kind) && baseUrl === undefined) return null;
  const needsKey = !params.has('api_key') && provider.variable !== undefined;
  return {
    kind: resolveProviderKindForUrl(provider.kind, baseUrl),
    ...optional('base_url', baseUrl),
    ...optional('api_key', needsKey ? referDefault(params, provider.variable) : params.secret('api_key')),
    ...optional('api_version', readApiVersion(params)),
    ...readCloudFields(params),
    ...optional('headers', readHeaders(params)),
  };
}

/** References the provider's default variable. LiteLLM reads it if the configuration has no key. */
function referDefault(params: ImportSourceObject, variable: string | undefined): string | undefined {
  if (variable === undefined) return undefined;
  return params.context.secrets.refer(variable, params.fieldPath('api_key')) ?? undefined;
}

function optional(name: string, value: unknown): ConfigEntryFields {
  return value === undefined ? {} : { [name]: value };
}

function readApiVersion(params: ImportSourceObject): string | undefined {
  const version = params.yamlText('api_version');
  if (version === undefined || !/^(preview|latest|v1)$/.test(version)) return version;
  params.note('api_version', 'changed', 'Floe uses the v1 API, which needs no API version');
  return undefined;
}

function readCloudFields(params: ImportSourceObject): ConfigEntryFields {
  const identity = {
    ...optional('access_key_id', params.secret('aws_access_key_id')),
    ...optional('secret_access_key', params.secret('aws_secret_access_key')),
    ...optional('session_token', params.secret('aws_session_token')),
    ...optional('profile', params.yamlText('aws_profile_name')),
    ...optional('external_id', params.yamlText('aws_external_id')),
    ...optional('file', readGoogleCredentials(params)),
  };
  const region = params.yamlText('aws_region_name') ?? params.yamlText('vertex_location');
  return {
    ...optional('region', region),
    ...optional('project', params.yamlText('vertex_project')),
    ...optional('role_arn', params.yamlText('aws_role_name')),
    ...(Object.keys(identity).length > 0 && { identity }),
  };
}

/** LiteLLM accepts a path or the JSON text, which is a secret. Floe only accepts a file. */
function readGoogleCredentials(params: ImportSourceObject): string | undefined {
  const value = params.raw('vertex_credentials');
  if (value === undefined) return undefined;
  if (isPlainObject(value) || (typeof value === 'string' && /^\s*\{/.test(value))) {
    const reason = 'store the JSON in a file and set identity.file to its path';
    params.note('vertex_credentials', 'not_imported', reason);
    return undefined;
  }
  const file = params.yamlText('vertex_credentials');
  if (file?.startsWith('${'))
    params.note(
      'vertex_credentials',
      'changed',
      'the variable must contain the path of the credentials file',
    );
  return file;
}

/** Replaces each literal header value with a variable, because header values are often secrets. */
function readHeaders(params: ImportSourceObject): ConfigEntryFields | undefined {
  const headers: Record<string, unknown> = {};
  for (const field of ['extra_headers', 'headers']) {
    const source = params.object(field);
    for (const name of source?.names() ?? []) {
      const value = source?.secret(name);
      if (value === undefined) continue;
      if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) headers[name] = value;
      else source?.note(name, 'not_imported', 'must be a valid HTTP header name, such as x-team');
    }
    source?.finish();
  }
  const organization = params.secret('organization');
  if (organization !== undefined) headers['OpenAI-Organization'] = organization;
  return Object.keys(headers).length > 0 ? headers : undefined;
}
