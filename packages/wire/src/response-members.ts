/** The members of an object in a response that a reader does not report as dropped. */
export type KnownMembers = ReadonlySet<string>;

/**
 * Members that have no meaning for a client of another dialect. Floe replaces ids, times and the model's name, records
 * token counts, tiers and costs in the request log, and knows the client's own settings. The others identify the server
 * that responded, or hide the length of the response. `docs/concepts/forwarding-and-translation.md` lists them.
 */
const ids = ['id', 'object', 'created', 'model'];
const counts = ['usage', 'service_tier'];
const padding = ['obfuscation', 'p'];
const server = ['system_fingerprint', 'provider', 'user_id', 'x_groq', 'usage_breakdown'];

/** The settings of the request, which a Responses object repeats. */
const RESPONSES_SETTINGS = [
  'background instructions max_output_tokens max_tool_calls metadata parallel_tool_calls previous_response_id prompt',
  'prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier store temperature text',
  'tool_choice tools top_logprobs top_p truncation user presence_penalty frequency_penalty',
];

function listMembers(...names: readonly string[]): KnownMembers {
  return new Set(names.flatMap((entry) => entry.split(' ')));
}

const CHAT = {
  root: listMembers(...ids, ...counts, ...padding, ...server, 'choices error base_resp metadata'),
  choice: listMembers(
    'index delta message text finish_reason native_finish_reason logprobs',
    'usage audio images video videos executed_tools',
  ),
  message: listMembers(
    'role content refusal reasoning reasoning_content reasoning_details tool_calls function_call',
    'audio images video videos executed_tools',
  ),
} as const;

const RESPONSES = {
  root: listMembers(
    ...ids,
    ...counts,
    ...RESPONSES_SETTINGS,
    'output output_text status error incomplete_details created_at completed_at billing tool_usage total_tokens',
  ),
  message: listMembers('id type role status content'),
  call: listMembers('id type status call_id name namespace arguments input caller'),
  reasoning: listMembers('id type status summary content encrypted_content'),
  part: listMembers('type text refusal'),
} as const;

const MESSAGES = {
  root: listMembers('id type role model content stop_reason usage'),
  end: listMembers('type delta usage'),
  delta: listMembers('stop_reason'),
  block: listMembers('type text thinking signature data id name input citations caller'),
} as const;

const GEMINI = {
  root: listMembers('candidates promptFeedback usageMetadata responseId modelVersion createTime error'),
  feedback: listMembers('blockReason'),
  candidate: listMembers('index content finishReason tokenCount'),
  call: listMembers('id name args partialArgs willContinue'),
  part: listMembers('text thought thoughtSignature functionCall'),
} as const;

const CONVERSE = {
  root: listMembers('output stopReason usage metrics serviceTier'),
  end: listMembers('stopReason usage metrics serviceTier p'),
} as const;

const COHERE = {
  root: listMembers('id message finish_reason usage'),
  end: listMembers('finish_reason usage error'),
  message: listMembers('role content tool_calls tool_plan'),
} as const;

/**
 * The known members of each object in a response, by dialect: those that the readers translate and those
 * without a meaning for clients. The readers report all other members that are not empty.
 */
export const RESPONSE_MEMBERS = {
  chat: CHAT,
  responses: RESPONSES,
  messages: MESSAGES,
  gemini: GEMINI,
  converse: CONVERSE,
  cohere: COHERE,
} as const;
