import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import { asObject, isNonEmpty } from '../json-narrowing.ts';
import { readSystemPrompt } from '../read-parts.ts';
import { repairTurns } from '../repair-turns.ts';
import { type CanonicalRequest, createUnsupportedFeatureFault } from '../request.ts';
import {
  createInvalidFieldFault,
  createMissingFieldFault,
  readModel,
  readNumberField,
  readStopSequences,
} from '../request-read-context.ts';
import { selectConversation } from './conversation-source.ts';
import { IdeRequestReadContext } from './ide-request-read-context.ts';
import {
  countLeadingSystemTurns,
  hasConversationHistory,
  readConversationElements,
} from './read-elements.ts';
import {
  readIdeReasoning,
  readIdeRequestAttribution,
  readIdeResponseFormat,
  readIdeServiceTier,
  readIdeTokenLimit,
  readIdeToolSettings,
  readIdeVerbosity,
  rejectMultipleChoices,
} from './read-settings.ts';
import { writeNormalizedBody } from './write-normalized-body.ts';

const REQUEST_FIELDS = new Set(
  (
    'model messages input instructions system stream stream_options tools functions tool_choice function_call ' +
    'parallel_tool_calls response_format text output_config output_format verbosity max_output_tokens ' +
    'max_completion_tokens max_tokens stop stop_sequences temperature top_p top_k presence_penalty ' +
    'frequency_penalty seed n reasoning reasoning_effort thinking user safety_identifier metadata ' +
    'prompt_cache_key service_tier store include previous_response_id conversation prompt background'
  ).split(' '),
);

/** A normalized IDE request. */
export interface NormalizedIdeRequest {
  /** The canonical request, with the field paths of the original body. */
  readonly request: CanonicalRequest;
  /** The same request as a Chat body. Normalizing it again returns an equal body. */
  readonly body: JsonObject;
}

/**
 * Normalizes the body of a request from an IDE. The body can mix fields of Chat, Responses and Messages.
 * Does not change `body`. Drops unknown members and lists them in `request.dropped`.
 * @throws Fault 400 with `param` if the body is not a valid request
 * @example
 * const { body } = normalizeIdeRequest({ model: 'gpt-5', input: 'Hello', system: 'Be brief.' });
 * body.messages; // [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'Hello' }]
 */
export function normalizeIdeRequest(body: JsonObject): NormalizedIdeRequest {
  const draft = new IdeRequestReadContext();
  draft.reportUnknownFields(body, REQUEST_FIELDS);
  rejectStoredState(body, draft);
  rejectMultipleChoices(body, draft);
  const { tools, toolChoice, parallelTools } = readIdeToolSettings(body, draft);
  const source = selectConversation(body);
  // Only the remaining turns count as the start: a result without its call is not a turn.
  const read = repairTurns(readConversationElements(source, tools, draft), draft);
  const lead = countLeadingSystemTurns(read);
  const system = [
    ...[
      ...readSystemPrompt(body['instructions'], 'instructions', draft),
      ...readSystemPrompt(body['system'], 'system', draft),
    ],
    ...read.slice(0, lead).flatMap(({ parts }) => parts.filter((part) => part.type === 'text')),
  ].filter(({ text }) => text.trim() !== '');
  const turns = read.slice(lead);
  if (turns.length === 0)
    throw createMissingFieldFault(source.elements.length === 0 ? 'messages' : source.member);
  if (isNonEmpty(body['previous_response_id']))
    rejectUnknownResponse(hasConversationHistory(turns, system), draft);
  const request: CanonicalRequest = {
    dialect: 'chat',
    model: readModel(body),
    ...readStreamSettings(body),
    system,
    turns,
    tools,
    toolChoice,
    parallelTools,
    format: readIdeResponseFormat(body, draft),
    verbosity: readIdeVerbosity(body, draft),
    maxTokens: readIdeTokenLimit(body, draft),
    stop: [...readStopSequences(body['stop']), ...readStopSequences(body['stop_sequences'])],
    sampling: {
      temperature: readNumberField(body, 'temperature'),
      topP: readNumberField(body, 'top_p'),
      topK: readNumberField(body, 'top_k'),
      presencePenalty: readNumberField(body, 'presence_penalty'),
      frequencyPenalty: readNumberField(body, 'frequency_penalty'),
      seed: readNumberField(body, 'seed'),
    },
    reasoning: readIdeReasoning(body, draft),
    ...readIdeRequestAttribution(body, draft),
    serviceTier: readIdeServiceTier(body, draft),
    requiredFeatures: draft.requiredFeatures,
    dropped: draft.dropped,
  };
  return { request, body: writeNormalizedBody(request) };
}

function readStreamSettings(body: JsonObject): { readonly stream: boolean; readonly streamUsage: boolean } {
  const stream = body['stream'] ?? false;
  if (typeof stream !== 'boolean') throw createInvalidFieldFault('`stream` must be true or false.', 'stream');
  return { stream, streamUsage: asObject(body['stream_options'])?.['include_usage'] === true };
}

/** Rejects references to a conversation, a prompt or a response that is stored elsewhere. */
function rejectStoredState(body: JsonObject, draft: IdeRequestReadContext): void {
  for (const key of ['conversation', 'prompt'])
    if (isNonEmpty(body[key])) throw createUnsupportedFeatureFault({ need: 'stored-state', param: key });
  if (body['background'] === true) draft.requireFeature('background', 'background');
}

/** A known response has already been inserted into the conversation, so this one is unknown. */
function rejectUnknownResponse(hasHistory: boolean, draft: IdeRequestReadContext): void {
  if (hasHistory) return draft.reportDropped('previous_response_id');
  throw new Fault(
    'previous_response_not_found',
    'There is no stored response with the id in `previous_response_id`, and the request does not contain the earlier conversation. Send the full conversation.',
    { param: 'previous_response_id' },
  );
}
