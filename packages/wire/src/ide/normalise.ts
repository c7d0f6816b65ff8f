import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import { invalid, missing, readModel, readNumber, readStop } from '../ask-draft.ts';
import { objectOf, says } from '../json-read.ts';
import { readSystem } from '../read-parts.ts';
import { repairTurns } from '../repair.ts';
import { type Ask, refusal } from '../request.ts';
import { IdeDraft } from './draft.ts';
import { leadingSystem, readElements, tellsHistory } from './read-elements.ts';
import {
  readAttribution,
  readEffort,
  readFormats,
  readMaxTokens,
  readTier,
  readToolSettings,
  readVerbosity,
  refuseChoices,
} from './read-settings.ts';
import { conversationIn } from './source.ts';
import { writeNormalBody } from './write-body.ts';

const KNOWN = new Set(
  (
    'model messages input instructions system stream stream_options tools functions tool_choice function_call ' +
    'parallel_tool_calls response_format text output_config output_format verbosity max_output_tokens ' +
    'max_completion_tokens max_tokens stop stop_sequences temperature top_p top_k presence_penalty ' +
    'frequency_penalty seed n reasoning reasoning_effort thinking user safety_identifier metadata ' +
    'prompt_cache_key service_tier store include previous_response_id conversation prompt background'
  ).split(' '),
);

export interface Normalised {
  /** The request in the vocabulary, with the paths of the body as it came. */
  readonly ask: Ask;
  /** The same as one Chat body; normalising it again gives an equal one. */
  readonly body: JsonObject;
}

/**
 * Brings the body of an IDE, which mixes the Chat, Responses and Messages dialects element by element, into
 * one form. `body` is left as it was. Members nobody understands are left out and reported in `ask.dropped`.
 *
 * @throws {Fault} 400 with `param` when the body cannot mean a request.
 * @example
 * const { body } = normalise({ model: 'gpt-5', input: 'Hello', system: 'Be brief.' });
 * body.messages; // [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'Hello' }]
 */
export function normalise(body: JsonObject): Normalised {
  const draft = new IdeDraft();
  draft.dropUnknown(body, KNOWN);
  refuseState(body, draft);
  refuseChoices(body, draft);
  const { tools, toolChoice, parallelTools } = readToolSettings(body, draft);
  const source = conversationIn(body);
  // Only what is left counts as the beginning: a result whose call is gone is no turn.
  const read = repairTurns(readElements(source, tools, draft), draft);
  const lead = leadingSystem(read);
  const system = [
    ...[
      ...readSystem(body['instructions'], 'instructions', draft),
      ...readSystem(body['system'], 'system', draft),
    ],
    ...read.slice(0, lead).flatMap(({ parts }) => parts.filter((part) => part.type === 'text')),
  ].filter(({ text }) => text.trim() !== '');
  const turns = read.slice(lead);
  if (turns.length === 0) throw missing(source.elements.length === 0 ? 'messages' : source.member);
  if (says(body['previous_response_id'])) refuseUnknownTurn(tellsHistory(turns, system), draft);
  const ask: Ask = {
    dialect: 'chat',
    model: readModel(body),
    ...streamOf(body),
    system,
    turns,
    tools,
    toolChoice,
    parallelTools,
    format: readFormats(body, draft),
    verbosity: readVerbosity(body, draft),
    maxTokens: readMaxTokens(body),
    stop: [...readStop(body['stop']), ...readStop(body['stop_sequences'])],
    sampling: {
      temperature: readNumber(body, 'temperature'),
      topP: readNumber(body, 'top_p'),
      topK: readNumber(body, 'top_k'),
      presencePenalty: readNumber(body, 'presence_penalty'),
      frequencyPenalty: readNumber(body, 'frequency_penalty'),
      seed: readNumber(body, 'seed'),
    },
    reasoning: readEffort(body, draft),
    ...readAttribution(body, draft),
    serviceTier: readTier(body, draft),
    needs: draft.needs,
    dropped: draft.dropped,
  };
  return { ask, body: writeNormalBody(ask) };
}

function streamOf(body: JsonObject): { readonly stream: boolean; readonly streamUsage: boolean } {
  const stream = body['stream'] ?? false;
  if (typeof stream !== 'boolean') throw invalid('`stream` must be true or false.', 'stream');
  return { stream, streamUsage: objectOf(body['stream_options'])?.['include_usage'] === true };
}

/** What stands for a conversation, a prompt or an answer kept elsewhere. */
function refuseState(body: JsonObject, draft: IdeDraft): void {
  for (const key of ['conversation', 'prompt'])
    if (says(body[key])) throw refusal({ need: 'stored-state', param: key });
  if (body['background'] === true) draft.need('background', 'background');
}

/** Whoever keeps turns has put a known one into the conversation: this one is unknown. */
function refuseUnknownTurn(hasHistory: boolean, draft: IdeDraft): void {
  if (hasHistory) return draft.drop('previous_response_id');
  throw new Fault(
    'previous_response_not_found',
    'The answer `previous_response_id` names is not kept here, and the body holds nothing of the conversation before. Send the whole conversation.',
    { param: 'previous_response_id' },
  );
}
