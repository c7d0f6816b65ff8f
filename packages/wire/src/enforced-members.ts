/** Members that Floe enforces limits, policies and ownership on, or that change how it reads the response. */
const ENFORCED_MEMBERS = new Set(
  (
    'model models messages input prompt system instructions tools functions mcp_servers web_search_options requests ' +
    'session max_tokens max_completion_tokens max_output_tokens n best_of stream store temperature service_tier user ' +
    'metadata previous_response_id conversation fallbacks background stream_options'
  ).split(' '),
);

/**
 * Returns the enforced member that a parser may read instead of `key`; otherwise `key`. Go's encoding/json, which some
 * providers use, ignores the case of names (Unicode simple folding, so that the long s and the Kelvin sign count, too).
 * @example
 * findEnforcedMember('Messages'); // 'messages'
 * findEnforcedMember('maxTokens'); // 'maxTokens'
 */
export function findEnforcedMember(key: string): string {
  const folded = key.toUpperCase().toLowerCase();
  return ENFORCED_MEMBERS.has(folded) ? folded : key;
}
