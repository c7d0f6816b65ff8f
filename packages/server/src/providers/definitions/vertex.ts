import {
  type ProviderDefinition,
  type ProviderUrlSettings,
  type ResolvedProviderUrls,
  stripVersionSuffix,
} from '../provider-definition.ts';
import { anthropicOnlyBodyMembers, vertexBetaFeaturesMember } from './claude-beta-features.ts';
import { claudeQuirks } from './claude-quirks.ts';
import { geminiErrorStatusOverrides, geminiQuirks } from './gemini.ts';

const HOST = 'https://{region}-aiplatform.googleapis.com';
const PUBLISHERS = '/v1/projects/{project}/locations/{region}/publishers';

/** The provider definition of Google Vertex AI. */
export const vertex: ProviderDefinition = {
  kind: 'vertex',
  name: 'Google Vertex AI',
  baseUrl: HOST,
  keyVariables: ['GOOGLE_VERTEX_API_KEY'],
  requiredSettings: {
    project: { variables: ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_VERTEX_PROJECT'] },
    region: { variables: ['GOOGLE_CLOUD_LOCATION', 'GOOGLE_VERTEX_LOCATION'], defaultValue: 'global' },
  },
  auth: { type: 'google', name: 'x-goog-api-key' },
  dialectPaths: {
    gemini: {
      nonStreaming: `${PUBLISHERS}/google/models/{model}:generateContent`,
      streaming: `${PUBLISHERS}/google/models/{model}:streamGenerateContent?alt=sse`,
      models: ['gemini*', 'gemma*'],
    },
    messages: {
      nonStreaming: `${PUBLISHERS}/anthropic/models/{model}:rawPredict`,
      streaming: `${PUBLISHERS}/anthropic/models/{model}:streamRawPredict`,
      models: ['*claude-*'],
      shape: {
        omits: ['model', 'service_tier', 'inference_geo', ...anthropicOnlyBodyMembers],
        hostedFeatures: anthropicOnlyBodyMembers,
        sets: { anthropic_version: '"vertex-2023-10-16"' },
        headersInBody: { 'anthropic-beta': vertexBetaFeaturesMember },
        impliedHeaders: { 'anthropic-version': '2023-06-01' },
      },
    },
  },
  dialectPreferences: [{ models: ['*claude-*'], dialect: 'messages' }],
  address,
  modelListPaths: ['google', 'anthropic'].map((name) => `/v1beta1/publishers/${name}/models?pageSize=300`),
  streamUsage: 'given',
  priceCatalogName: 'google',
  quirks: [
    ...geminiQuirks,
    ...claudeQuirks,
    { models: ['*claude-*'], options: { unsupportedFeatures: ['image-url', 'file-url', 'media-id'] } },
  ],
  errors: geminiErrorStatusOverrides,
  docs: 'https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest',
  checked: '2026-11-21',
};

/**
 * Returns the URLs for a location. `global` and multi-regions have their own hosts. The name of any other
 * location is part of the host name.
 */
function address(base: string, { region = 'global' }: ProviderUrlSettings): ResolvedProviderUrls {
  if (base !== HOST) return { base: stripVersionSuffix(base) };
  if (region === 'global') return { base: 'https://aiplatform.googleapis.com' };
  if (region === 'us' || region === 'eu') return { base: `https://aiplatform.${region}.rep.googleapis.com` };
  return { base: `https://${region}-aiplatform.googleapis.com` };
}
