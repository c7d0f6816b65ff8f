import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import { asObject, isNonEmpty } from '../json-narrowing.ts';
import { readSystemPrompt } from '../read-parts.ts';
import { repairTurns } from '../repair-turns.ts';
import { type CanonicalRequest, unsupportedFeatureFault } from '../request.ts';
import {
  invalidFieldFault,
  missingFieldFault,
  readModel,
  readNumberField,
  readStopSequences,
} from '../request-draft.ts';
import { selectConversation } from './conversation-source.ts';
import { IdeRequestDraft } from './ide-request-draft.ts';
import { countLeadingSystemTurns, includesHistory, readConversationElements } from './read-elements.ts';
import {
  readIdeResponseFormat,
  readMaxTokens,
  readReasoningSettings,
  readRequestAttribution,
  readServiceTier,
  readToolSettings,
  readVerbosity,
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

export interface NormalizedIdeRequest {
  /** The request in the vocabulary, with the paths of the body as it came. */
  readonly request: CanonicalRequest;
  /** The same as one Chat body; normalising it again gives an equal one. */
  readonly body: JsonObject;
}

/**
 * Brings the body of an IDE, which mixes the Chat, Responses and Messages dialects element by element, into
 * one form. `body` is left as it was. Members nobody understands are left out and reported in `ask.dropped`.
 *
 * @throws {Fault} 400 with `param` when the body cannot mean a request.
 * @example
 * const { body } = normalizeIdeRequest({ model: 'gpt-5', input: 'Hello', system: 'Be brief.' });
 * body.messages; // [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'Hello' }]
 */
export function normalizeIdeRequest(body: JsonObject): NormalizedIdeRequest {
  const draft = new IdeRequestDraft();
  draft.reportUnknownFields(body, REQUEST_FIELDS);
  rejectStoredState(body, draft);
  rejectMultipleChoices(body, draft);
  const { tools, toolChoice, parallelTools } = readToolSettings(body, draft);
  const source = selectConversation(body);
  // Only what is left counts as the beginning: a result whose call is gone is no turn.
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
  if (turns.length === 0) throw missingFieldFault(source.elements.length === 0 ? 'messages' : source.member);
  if (isNonEmpty(body['previous_response_id'])) rejectUnknownResponse(includesHistory(turns, system), draft);
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
    verbosity: readVerbosity(body, draft),
    maxTokens: readMaxTokens(body),
    stop: [...readStopSequences(body['stop']), ...readStopSequences(body['stop_sequences'])],
    sampling: {
      temperature: readNumberField(body, 'temperature'),
      topP: readNumberField(body, 'top_p'),
      topK: readNumberField(body, 'top_k'),
      presencePenalty: readNumberField(body, 'presence_penalty'),
      frequencyPenalty: readNumberField(body, 'frequency_penalty'),
      seed: readNumberField(body, 'seed'),
    },
    reasoning: readReasoningSettings(body, draft),
    ...readRequestAttribution(body, draft),
    serviceTier: readServiceTier(body, draft),
    requiredFeatures: draft.requiredFeatures,
    dropped: draft.dropped,
  };
  return { request, body: writeNormalizedBody(request) };
}

function readStreamSettings(body: JsonObject): { readonly stream: boolean; readonly streamUsage: boolean } {
  const stream = body['stream'] ?? false;
  if (typeof stream !== 'boolean') throw invalidFieldFault('`stream` must be true or false.', 'stream');
  return { stream, streamUsage: asObject(body['stream_options'])?.['include_usage'] === true };
}

/** What stands for a conversation, a prompt or an answer kept elsewhere. */
function rejectStoredState(body: JsonObject, draft: IdeRequestDraft): void {
  for (const key of ['conversation', 'prompt'])
    if (isNonEmpty(body[key])) throw unsupportedFeatureFault({ need: 'stored-state', param: key });
  if (body['background'] === true) draft.requireFeature('background', 'background');
}

/** Whoever keeps turns has put a known one into the conversation: this one is unknown. */
function rejectUnknownResponse(hasHistory: boolean, draft: IdeRequestDraft): void {
  if (hasHistory) return draft.reportDropped('previous_response_id');
  throw new Fault(
    'previous_response_not_found',
    'Floe has not stored the response that `previous_response_id` names, and the request does not contain the earlier conversation. Send the full conversation.',
    { param: 'previous_response_id' },
  );
}
