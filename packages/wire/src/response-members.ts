/**
 * The members of an object in a response that a reader does not report as dropped, with the shapes of the objects in
 * them. The content of a member without a shape is not examined.
 */
export interface ResponseShape {
  readonly members?: ReadonlyMap<string, ResponseShape | undefined>;
  /** Shapes by `type`. Objects of any other type are not examined: the readers report them. */
  readonly byType?: ReadonlyMap<string, ResponseShape>;
  /** Precedes the names of the members in reports. */
  readonly prefix?: string;
}

/**
 * Members that have no meaning for a client of another dialect. Floe replaces ids, times and the model's name, records
 * token counts, tiers and costs in the request log, and knows the client's own settings. The others identify the server
 * that responded, or hide the length of the response. `docs/concepts/forwarding-and-translation.md` lists them.
 */
const ids = 'id object created model';
const counts = 'usage service_tier';
const padding = 'obfuscation p';
const server = 'system_fingerprint provider user_id x_groq usage_breakdown';

/** The settings of the request, which a Responses object repeats. */
const responsesSettings =
  'background instructions max_output_tokens max_tool_calls metadata parallel_tool_calls previous_response_id prompt ' +
  'prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier store temperature text ' +
  'tool_choice tools top_logprobs top_p truncation user presence_penalty frequency_penalty';

/** Creates a shape from the names of members, and the members that have a shape. */
function shape(
  names: string,
  shaped: Readonly<Record<string, ResponseShape>> = {},
  prefix = '',
): ResponseShape {
  const plain = names.split(' ').map((name) => [name, undefined] as const);
  return { members: new Map([...plain, ...Object.entries(shaped)]), prefix };
}

/** The key for objects without a type. */
const NO_TYPE = '';

/** Creates a shape from shapes by `type`. Several types that are separated by a space have the same shape. */
function byType(shapes: Readonly<Record<string, ResponseShape>>): ResponseShape {
  const entries = Object.entries(shapes);
  return {
    byType: new Map(entries.flatMap(([types, inner]) => types.split(' ').map((type) => [type, inner]))),
  };
}

const TEXT = shape('type text');
/** Any other caller is reported as a whole. */
const CALLER = byType({ direct: shape('type') });

const CHAT_CALL = shape('name arguments input parameters');
const CHAT_MESSAGE = shape(
  'role refusal reasoning reasoning_content reasoning_details audio images video videos executed_tools',
  {
    content: byType({
      'text output_text': TEXT,
      [NO_TYPE]: TEXT,
      'thinking reasoning': shape('type text closed', { thinking: TEXT, reasoning: TEXT }),
      refusal: shape('type refusal'),
    }),
    tool_calls: shape('index id type', { function: CHAT_CALL, custom: CHAT_CALL }),
    function_call: CHAT_CALL,
  },
);
const CHAT_ROOT = shape(`${ids} ${counts} ${padding} ${server} error base_resp metadata`, {
  choices: shape(
    'index text finish_reason native_finish_reason usage audio images video videos executed_tools',
    { delta: CHAT_MESSAGE, message: CHAT_MESSAGE },
  ),
});

const RESPONSES_PART = byType({
  'output_text text reasoning_text summary_text': TEXT,
  refusal: shape('type refusal'),
});
const RESPONSES_CALL = shape('id type status call_id name namespace arguments input', { caller: CALLER });
const RESPONSES_ITEM = byType({
  message: shape('id type role status', { content: RESPONSES_PART }),
  'function_call custom_tool_call': RESPONSES_CALL,
  reasoning: shape('id type status encrypted_content', { summary: RESPONSES_PART, content: RESPONSES_PART }),
});
const RESPONSES_ROOT = shape(
  `${ids} ${counts} ${responsesSettings} output_text status error incomplete_details created_at completed_at ` +
    'billing tool_usage total_tokens',
  { output: RESPONSES_ITEM },
);
const RESPONSES_EVENT = shape(
  'type sequence_number item_id output_index content_index summary_index delta text arguments input refusal name ' +
    padding,
  { item: RESPONSES_ITEM, part: RESPONSES_PART, response: RESPONSES_ROOT },
);
/** Other events are about tools that the provider executes, or about errors. */
const RESPONSES_EVENTS =
  'created in_progress queued completed incomplete output_item.added output_item.done content_part.added ' +
  'content_part.done output_text.delta output_text.done refusal.delta refusal.done ' +
  'function_call_arguments.delta function_call_arguments.done custom_tool_call_input.delta ' +
  'custom_tool_call_input.done reasoning_summary_part.added reasoning_summary_part.done ' +
  'reasoning_summary_text.delta reasoning_summary_text.done reasoning_text.delta reasoning_text.done ' +
  'reasoning.delta reasoning.done';

const MESSAGES_BLOCK = byType({
  text: TEXT,
  'thinking redacted_thinking': shape('type thinking signature data'),
  tool_use: shape('type id name input', { caller: CALLER }),
});
const MESSAGES_ROOT = shape('id type role model stop_reason usage', { content: MESSAGES_BLOCK });

const GEMINI_ROOT = shape('usageMetadata responseId modelVersion createTime error', {
  candidates: shape('index finishReason tokenCount', {
    content: shape('role parts'),
  }),
  promptFeedback: shape('blockReason', {}, 'promptFeedback.'),
});

const CONVERSE_CALL = shape('toolUseId name input type');
const CONVERSE_BLOCK = shape('text citation citationsContent', {
  toolUse: CONVERSE_CALL,
  reasoningContent: shape('text signature redactedContent', { reasoningText: shape('text signature') }),
});

const COHERE_TEXT = shape('type text thinking');
const COHERE_MESSAGE = shape('role tool_plan', {
  content: byType({ 'text thinking': COHERE_TEXT, [NO_TYPE]: COHERE_TEXT }),
  tool_calls: shape('id type', { function: shape('name arguments') }),
});

/**
 * The shapes of responses and stream events, by dialect: the members that the readers translate and those without a
 * meaning for clients. The readers report all other members that are not empty.
 */
export const RESPONSE_SHAPES = {
  /** A response or chunk. */
  chat: CHAT_ROOT,
  /** A content part of which a reader uses the text. */
  textPart: TEXT,
  responses: {
    root: RESPONSES_ROOT,
    event: byType({ [RESPONSES_EVENTS.replaceAll(/\S+/g, 'response.$&')]: RESPONSES_EVENT }),
  },
  messages: {
    root: MESSAGES_ROOT,
    event: byType({
      message_start: shape('type', { message: MESSAGES_ROOT }),
      content_block_start: shape('type index', { content_block: MESSAGES_BLOCK }),
      content_block_delta: shape('type index', {
        delta: byType({
          'text_delta thinking_delta signature_delta input_json_delta': shape(
            'type text thinking signature partial_json estimated_tokens',
          ),
        }),
      }),
      content_block_stop: shape('type index'),
      message_delta: shape('type usage', { delta: shape('stop_reason') }),
      message_stop: shape('type amazon-bedrock-invocationMetrics'),
    }),
  },
  gemini: { root: GEMINI_ROOT, call: shape('id name args partialArgs willContinue', {}, 'functionCall.') },
  converse: {
    root: shape('stopReason usage metrics serviceTier', {
      output: shape('', { message: shape('role', { content: CONVERSE_BLOCK }) }),
    }),
    event: shape(
      `type role contentBlockIndex stopReason usage metrics serviceTier message error ${padding}`,
      {
        start: shape('', { toolUse: CONVERSE_CALL }),
        delta: CONVERSE_BLOCK,
      },
    ),
  },
  cohere: {
    root: shape('id finish_reason usage', { message: COHERE_MESSAGE }),
    event: shape('type id index message error', {
      delta: shape('finish_reason usage error', { message: COHERE_MESSAGE }),
    }),
  },
} as const;
