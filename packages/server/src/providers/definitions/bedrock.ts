import type {
  ProviderDefinition,
  ProviderUrlSettings,
  ResolvedProviderUrls,
} from '../provider-definition.ts';
import { anthropicOnlyBodyMembers, bedrockBetaFeaturesMember } from './claude-beta-features.ts';
import { claudeQuirks } from './claude-quirks.ts';

const RUNTIME = 'https://bedrock-runtime.{region}.amazonaws.com';

/**
 * The provider definition of Amazon Bedrock. Claude uses Messages through InvokeModel. All other models
 * use Converse.
 */
export const bedrock: ProviderDefinition = {
  kind: 'bedrock',
  name: 'Amazon Bedrock',
  baseUrl: RUNTIME,
  keyVariables: ['AWS_BEARER_TOKEN_BEDROCK'],
  urlVariables: ['AWS_ENDPOINT_URL_BEDROCK_RUNTIME'],
  requiredSettings: { region: { variables: ['AWS_REGION', 'AWS_DEFAULT_REGION'] } },
  auth: { type: 'sigv4', service: 'bedrock' },
  dialectPaths: {
    converse: { nonStreaming: '/model/{model}/converse', streaming: '/model/{model}/converse-stream' },
    messages: {
      nonStreaming: '/model/{model}/invoke',
      streaming: '/model/{model}/invoke-with-response-stream',
      models: ['*claude-*'],
      shape: {
        omits: ['model', 'stream', 'service_tier', 'inference_geo', ...anthropicOnlyBodyMembers],
        hostedFeatures: anthropicOnlyBodyMembers,
        sets: { anthropic_version: '"bedrock-2023-05-31"' },
        headersInBody: { 'anthropic-beta': bedrockBetaFeaturesMember },
        impliedHeaders: { 'anthropic-version': '2023-06-01' },
      },
    },
  },
  dialectPreferences: [{ models: ['*claude-*'], dialect: 'messages' }],
  address,
  modelListPaths: ['/foundation-models?byOutputModality=TEXT', '/inference-profiles?maxResults=1000'],
  streamUsage: 'given',
  priceCatalogName: 'aws',
  quirks: [
    { options: { reasoningStyle: 'none' } },
    ...claudeQuirks,
    { models: ['*claude-*'], options: { unsupportedFeatures: ['image-url', 'file-url', 'media-id'] } },
    { models: ['*nova-*', '*claude-*'], options: { hints: ['cache-mark'] } },
    {
      models: ['*openai.gpt-oss-*'],
      options: { reasoningStyle: 'effort', efforts: ['high', 'medium', 'low'] },
    },
    // Only Claude and Nova accept a specific tool choice. These models accept that one of several tools must
    // be called.
    { models: ['*mistral*', '*llama*', '*cohere*', '*ai21*'], options: { tools: ['named-filters'] } },
  ],
  errors: [
    { status: 400, text: 'incompletesignature', means: 'bad_credentials' },
    { status: 400, text: 'requestexpired', means: 'bad_credentials' },
    { status: 400, text: 'servicequotaexceeded', means: 'rate' },
    { status: 408, text: '', means: 'overloaded' },
    { status: 424, text: '', means: 'overloaded' },
  ],
  docs: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_Operations_Amazon_Bedrock_Runtime.html',
  checked: '2026-11-21',
};

/**
 * Returns the URLs for a region. Its model lists are on the control host of the region; a configured base URL
 * has no model lists.
 */
function address(base: string, { region }: ProviderUrlSettings): ResolvedProviderUrls {
  const domain = region?.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  if (base !== RUNTIME) return { base };
  return {
    base: `https://bedrock-runtime.{region}.${domain}`,
    listBase: `https://bedrock.${region}.${domain}`,
  };
}
