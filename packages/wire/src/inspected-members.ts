/** Members that Floe needs to enforce limits, policies and ownership, or that change how it reads the response. */
const INSPECTED_MEMBERS = new Set(
  (
    'model models messages input prompt system instructions tools functions mcp_servers web_search_options requests ' +
    'session max_tokens max_completion_tokens max_output_tokens n best_of stream store temperature service_tier user ' +
    'metadata previous_response_id conversation container thread fallbacks background stream_options'
  ).split(' '),
);

/**
 * Folds the case of a member name as Go's encoding/json does, which some providers use. It also folds characters such as
 * the long s and the Kelvin sign to ASCII letters (Unicode simple folding).
 * @example
 * foldMemberName('Model\u017f'); // 'models'
 */
export function foldMemberName(name: string): string {
  return name.toUpperCase().toLowerCase();
}

/**
 * Returns the inspected member that a case-insensitive parser would read for `key`. Returns `key` if there is none.
 * @example
 * resolveInspectedMemberName('Messages'); // 'messages'
 * resolveInspectedMemberName('maxTokens'); // 'maxTokens'
 */
export function resolveInspectedMemberName(key: string): string {
  const folded = foldMemberName(key);
  return INSPECTED_MEMBERS.has(folded) ? folded : key;
}
