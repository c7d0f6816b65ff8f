import type { ProviderDefinition, ResolvedProviderUrls } from '../provider-definition.ts';
import { openaiDialectPreferences, openaiQuirks } from './openai-models.ts';

/**
 * The provider definition of Azure OpenAI. The base URL must be configured:
 * `https://{resource}.openai.azure.com` or `.services.ai.azure.com`, with or without `/openai` or
 * `/openai/v1`. Azure's model list contains base models rather than deployments, so Floe does not
 * read it. Claude deployments require an `anthropic-compatible` provider at `…/anthropic`.
 */
export const azureOpenai: ProviderDefinition = {
  kind: 'azure-openai',
  name: 'Azure OpenAI',
  keyVariables: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
  urlVariables: ['AZURE_OPENAI_ENDPOINT'],
  auth: { type: 'header', name: 'api-key' },
  dialectPaths: { chat: '/chat/completions', responses: '/responses' },
  dialectPreferences: openaiDialectPreferences,
  address,
  streamUsage: 'ask',
  quirks: [
    ...openaiQuirks,
    // These models reject max_completion_tokens with 422.
    { models: ['*istral*', '*odestral*'], options: { renames: {} } },
  ],
  opaqueApis: ['completions', 'images', 'audio', 'files', 'batches'],
  embeddings: { dialect: 'openai' },
  storesResponses: true,
  priceCatalogName: 'azure',
  docs: 'https://learn.microsoft.com/azure/ai-foundry/openai/reference',
  checked: '2026-11-21',
};

/**
 * Returns the URLs for an API version. A dated version has URLs by deployment. Without a version, or with
 * `preview`, the URLs are those of the v1 API.
 */
function address(
  base: string,
  { apiVersion }: { readonly apiVersion?: string | undefined },
): ResolvedProviderUrls {
  const root = base.replace(/\/+$/, '').replace(/\/openai(\/v1)?$/, '');
  const query = apiVersion === undefined ? {} : { query: `api-version=${encodeURIComponent(apiVersion)}` };
  if (apiVersion === undefined || !/^\d{4}-/.test(apiVersion)) return { base: `${root}/openai/v1`, ...query };
  const chat = '/deployments/{model}/chat/completions';
  // Responses requires 2025-03-01-preview or later.
  const speaks = apiVersion >= '2025-03-01' ? { chat, responses: '/responses' } : { chat };
  return { base: `${root}/openai`, dialectPaths: speaks, ...query };
}
