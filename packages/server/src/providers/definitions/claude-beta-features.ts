import type { HeaderValuesBodyMember } from '../provider-definition.ts';

/**
 * The beta features of Claude that both clouds accept, as values of the header `anthropic-beta`. The clouds reject a
 * request with any other value, and agents send many values that only Anthropic's own API accepts.
 */
const CLOUD_BETA_FEATURES = [
  'compact-2026-01-12',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'dangerous-tool-use-2026-09-03',
  'interleaved-thinking-2025-05-14',
  'thinking-binding-controls-2026-08-01',
  'thinking-display-updates-2026-08-18',
  'tool-search-tool-2025-10-19',
];

/** Anthropic's own API has one name for several features of tools. Agents use it for deferred tools. */
const RENAMED_BETA_FEATURES = { 'advanced-tool-use-2025-11-20': 'tool-search-tool-2025-10-19' };

/** The values of `anthropic-beta` that Bedrock accepts for at least one model. */
const BEDROCK_BETA_FEATURES = [
  ...CLOUD_BETA_FEATURES,
  'computer-use-2024-10-22',
  'dev-full-thinking-2025-05-14',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'mid-conversation-output-config-2026-07-01',
  'mid-conversation-tool-changes-2026-07-01',
  'output-128k-2025-02-19',
  'token-efficient-tools-2025-02-19',
  'tool-examples-2025-10-29',
];

/** The values of `anthropic-beta` that Vertex AI accepts for at least one model. */
const VERTEX_BETA_FEATURES = [
  ...CLOUD_BETA_FEATURES,
  'compact-2026-09-04',
  'per-turn-control-2026-07-01',
  'web-search-2025-03-05',
];

/** How Bedrock receives the header `anthropic-beta`. */
export const bedrockBetaFeaturesMember: HeaderValuesBodyMember = {
  member: 'anthropic_beta',
  accepted: BEDROCK_BETA_FEATURES,
  renames: RENAMED_BETA_FEATURES,
};

/** How Vertex AI receives the header `anthropic-beta`. */
export const vertexBetaFeaturesMember: HeaderValuesBodyMember = {
  member: 'anthropic_beta',
  accepted: VERTEX_BETA_FEATURES,
  renames: RENAMED_BETA_FEATURES,
};

/** The members of a Messages body that need a feature of Anthropic's own API. */
export const anthropicOnlyBodyMembers = ['container', 'mcp_servers', 'compaction'];
