import { Fault } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import {
  AskDraft,
  cacheMark,
  empty,
  invalid,
  missing,
  needSpecials,
  readLimit,
  readMetadata,
  readModel,
  readNumber,
  readReasoning,
  readStop,
  readStreamUsage,
} from '../ask-draft.ts';
import type { ReadOptions } from '../dialect.ts';
import { booleanOf, isArray, isObject, listOf, objectOf, says, textOf } from '../json-read.ts';
import { markedTurn, markLast } from '../mark-turns.ts';
import { argumentText, readParts, resultParts, systemParts } from '../read-parts.ts';
import { readFormat, readToolChoice, readTools } from '../read-tools.ts';
import { repairTurns } from '../repair.ts';
import type { Ask, CallPart, Part, TextPart, Tool, Turn } from '../request.ts';

const KNOWN = new Set(
  (
    'model messages stream stream_options tools tool_choice functions function_call parallel_tool_calls ' +
    'response_format verbosity max_completion_tokens max_tokens stop temperature top_p top_k ' +
    'presence_penalty frequency_penalty seed n logprobs top_logprobs modalities reasoning reasoning_effort ' +
    'thinking user safety_identifier metadata prompt_cache_key service_tier store previous_response_id ' +
    'conversation prompt background audio web_search_options cache_control'
  ).split(' '),
);

/** `index`, `id` and `status` are the bookkeeping of answers that clients send back. */
const MESSAGE = new Set(
  (
    'role content refusal tool_calls function_call audio reasoning_content reasoning reasoning_details ' +
    'type id index status phase cache_control'
  ).split(' '),
);
const TOOL_MESSAGE = new Set(
  'role content tool_call_id name is_error cache_control type id index status'.split(' '),
);
const CALL = new Set('id type function custom index cache_control name arguments input'.split(' '));

/** Reads a Chat Completions request. @throws Fault 400 with `param`. */
export function readAsk(body: JsonObject, options: ReadOptions = {}): Ask {
  const draft = new AskDraft();
  if (body['messages'] === undefined && says(body['input']))
    throw new Fault(
      'invalid_request',
      'This body has `input`, which belongs to /gateway/v1/responses. Send `messages` here, or use the IDE adapter, which reads both.',
      { param: 'input' },
    );
  draft.dropUnknown(body, KNOWN);
  if (body['store'] === true) draft.drop('store');
  if (isObject(body['web_search_options'])) draft.need('hosted-tool', 'web_search_options');
  needSpecials(body, draft);
  const tools = readTools(
    says(body['tools']) ? body['tools'] : body['functions'],
    says(body['tools']) ? 'tools' : 'functions',
    draft,
    options.dropHostedTools === true,
  );
  const { system, turns } = readMessages(body['messages'], tools, draft);
  return {
    dialect: 'chat',
    model: readModel(body),
    stream: body['stream'] === true,
    streamUsage: readStreamUsage(body, draft),
    system,
    turns: repairTurns(markLast(turns, body), draft),
    tools,
    toolChoice: readToolChoice(body['tool_choice'] ?? body['function_call'], tools),
    parallelTools: tools.length > 0 ? booleanOf(body['parallel_tool_calls']) : undefined,
    format: readFormat(body['response_format'], 'response_format', draft),
    verbosity: textOf(body['verbosity']),
    maxTokens: readLimit(body, ['max_completion_tokens', 'max_tokens']),
    stop: readStop(body['stop']),
    sampling: {
      temperature: readNumber(body, 'temperature'),
      topP: readNumber(body, 'top_p'),
      topK: readNumber(body, 'top_k'),
      presencePenalty: readNumber(body, 'presence_penalty'),
      frequencyPenalty: readNumber(body, 'frequency_penalty'),
      seed: readNumber(body, 'seed'),
    },
    reasoning: readReasoning(body, draft),
    user: textOf(body['safety_identifier']) ?? textOf(body['user']),
    metadata: readMetadata(body['metadata'], draft),
    cacheKey: textOf(body['prompt_cache_key']),
    serviceTier: textOf(body['service_tier']),
    needs: draft.needs,
    dropped: draft.dropped,
  };
}

/** System messages before the first turn are the system prompt; later ones keep their place. */
function readMessages(
  value: Json | undefined,
  tools: readonly Tool[],
  draft: AskDraft,
): { readonly system: TextPart[]; readonly turns: Turn[] } {
  if (!says(value)) throw isArray(value) ? empty('messages') : missing('messages');
  const system: TextPart[] = [];
  const turns: Turn[] = [];
  const freeform = new Set(tools.filter((tool) => tool.kind === 'freeform').map((tool) => tool.name));
  listOf(value).forEach((entry, index) => {
    const path = `messages[${index}]`;
    if (!isObject(entry)) throw invalid(`\`${path}\` must be an object.`, path);
    const turn = markedTurn(readMessage(entry, freeform, path, draft), cacheMark(entry));
    if (turn.parts.length === 0) return;
    if (turn.role === 'system' && turns.length === 0)
      system.push(...turn.parts.filter((part) => part.type === 'text'));
    else turns.push(turn);
  });
  if (turns.length === 0 && system.length === 0 && draft.needs.size === 0) throw empty('messages');
  return { system, turns };
}

/** One Chat message; its content may hold parts of any dialect. @throws Fault 400 naming the role it does not know. */
export function readMessage(
  message: JsonObject,
  freeform: ReadonlySet<string>,
  path: string,
  draft: AskDraft,
): Turn {
  const role = textOf(message['role']);
  draft.dropUnknown(message, role === 'tool' || role === 'function' ? TOOL_MESSAGE : MESSAGE, 'messages.');
  const content = readParts(message['content'], `${path}.content`, draft);
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'system', parts: systemParts(content, draft) };
    case 'user':
      return { role, parts: content };
    case 'assistant':
      return {
        role,
        parts: [...reasoningOf(message), ...content, ...saidBeside(message, freeform, path, draft)],
      };
    case 'tool':
    case 'function': {
      const id = textOf(message['tool_call_id']) ?? textOf(message['name']) ?? '';
      const cache = cacheMark(message);
      return {
        role: 'user',
        parts: [
          {
            type: 'result',
            id,
            parts: resultParts(content, draft),
            isError: message['is_error'] === true,
            cache,
          },
        ],
      };
    }
    default:
      throw invalid(`\`${path}.role\` must be system, developer, user, assistant or tool.`, `${path}.role`);
  }
}

/** What an assistant's message has beside its content: a refusal and calls. */
function saidBeside(
  message: JsonObject,
  freeform: ReadonlySet<string>,
  path: string,
  draft: AskDraft,
): Part[] {
  const parts: Part[] = [];
  const refusal = textOf(message['refusal']);
  if (refusal) parts.push({ type: 'refusal', text: refusal });
  if (says(message['audio'])) draft.need('unknown-content', `${path}.audio`);
  listOf(message['tool_calls']).forEach((entry, index) => {
    const at = `${path}.tool_calls[${index}]`;
    if (!isObject(entry)) throw invalid(`\`${at}\` must be an object.`, at);
    draft.dropUnknown(entry, CALL, 'tool_calls.');
    parts.push(callOf(entry, freeform));
  });
  const legacy = objectOf(message['function_call']);
  if (legacy) parts.push({ ...callOf({ function: legacy }, freeform), id: textOf(legacy['name']) ?? '' });
  return parts;
}

/** A function call of a tool declared freeform carries the raw text as its arguments. */
function callOf(entry: JsonObject, freeform: ReadonlySet<string>): CallPart {
  const custom = objectOf(entry['custom']);
  const inner = custom ?? objectOf(entry['function']) ?? entry;
  const name = textOf(inner['name']) ?? '';
  const raw = custom !== undefined || entry['type'] === 'custom' || freeform.has(name);
  return {
    type: 'call',
    id: textOf(entry['id']) ?? '',
    name,
    input: raw
      ? (textOf(inner['input']) ?? textOf(inner['arguments']) ?? '')
      : argumentText(inner['arguments']),
    freeform: raw,
    cache: cacheMark(entry),
  };
}

function reasoningOf(message: JsonObject): Part[] {
  const details = listOf(message['reasoning_details']);
  const text =
    textOf(message['reasoning_content']) ??
    textOf(message['reasoning']) ??
    details.map((entry) => textOf(objectOf(entry)?.['text']) ?? '').join('');
  if (details.length > 0)
    return [{ type: 'reasoning', text, seal: { dialect: 'chat', value: JSON.stringify(details) } }];
  return text === '' ? [] : [{ type: 'reasoning', text }];
}
