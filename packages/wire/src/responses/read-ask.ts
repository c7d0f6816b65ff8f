import type { Json, JsonObject } from '@floe/contract/json';
import {
  AskDraft,
  empty,
  invalid,
  missing,
  needSpecials,
  readLimit,
  readMetadata,
  readModel,
  readNumber,
  readReasoning,
} from '../ask-draft.ts';
import type { ReadOptions } from '../dialect.ts';
import { booleanOf, isArray, isObject, listOf, objectOf, says, textOf } from '../json-read.ts';
import {
  argumentText,
  isHostedTrace,
  readParts,
  readSystem,
  resultParts,
  systemParts,
} from '../read-parts.ts';
import { readFormat, readToolChoice, readTools } from '../read-tools.ts';
import { repairTurns } from '../repair.ts';
import type { Ask, Part, TextPart, Turn } from '../request.ts';
import { unpackSeal } from '../seal.ts';

const KNOWN = new Set(
  (
    'model input instructions stream stream_options tools tool_choice parallel_tool_calls text ' +
    'max_output_tokens max_tokens max_completion_tokens temperature top_p top_logprobs reasoning user ' +
    'safety_identifier metadata prompt_cache_key service_tier store include previous_response_id ' +
    'conversation prompt background truncation'
  ).split(' '),
);

/** Ids and states are the bookkeeping of answers that clients send back. */
const ITEM = ['type', 'id', 'status', 'phase', 'created_by'];
const CALL = new Set([...ITEM, 'call_id', 'name', 'namespace', 'arguments', 'input']);
const RESULT = new Set([...ITEM, 'call_id', 'output', 'name']);
const ITEMS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['message', new Set([...ITEM, 'role', 'content'])],
  ['function_call', CALL],
  ['custom_tool_call', CALL],
  ['function_call_output', RESULT],
  ['custom_tool_call_output', RESULT],
  ['reasoning', new Set([...ITEM, 'summary', 'content', 'encrypted_content'])],
]);
const TEXT = new Set(['format', 'verbosity']);
/** Wishes that are met wherever they can be. */
const INCLUDED = new Set<Json>(['reasoning.encrypted_content', 'message.output_text.logprobs']);

/** Reads a Responses request; stored turns must have been put into `input` before. @throws Fault 400 with `param`. */
export function readAsk(body: JsonObject, options: ReadOptions = {}): Ask {
  const draft = new AskDraft('input');
  draft.dropUnknown(body, KNOWN);
  if (body['truncation'] === 'auto') draft.drop('truncation');
  needSpecials(body, draft);
  if (listOf(body['include']).includes('message.output_text.logprobs')) draft.need('logprobs', 'include');
  const tools = readTools(body['tools'], 'tools', draft, options.dropHostedTools === true);
  const { system, turns } = readInput(body['input'], draft);
  const text = objectOf(body['text']);
  if (text) draft.dropUnknown(text, TEXT, 'text.');
  if (listOf(body['include']).some((wish) => !INCLUDED.has(wish))) draft.drop('include');
  const instructions = readSystem(body['instructions'], 'instructions', draft);
  const isEmpty = turns.length === 0 && system.length === 0 && instructions.length === 0;
  if (isEmpty && draft.needs.size === 0)
    throw body['input'] === undefined || body['input'] === null ? missing('input') : empty('input');
  return {
    dialect: 'responses',
    model: readModel(body),
    stream: body['stream'] === true,
    streamUsage: true,
    system: [...instructions, ...system],
    turns: repairTurns(turns, draft),
    tools,
    toolChoice: readToolChoice(body['tool_choice'], tools),
    parallelTools: tools.length > 0 ? booleanOf(body['parallel_tool_calls']) : undefined,
    format: readFormat(text?.['format'], 'text.format', draft),
    verbosity: textOf(text?.['verbosity']),
    maxTokens: readLimit(body, ['max_output_tokens', 'max_completion_tokens', 'max_tokens']),
    stop: [],
    sampling: { temperature: readNumber(body, 'temperature'), topP: readNumber(body, 'top_p') },
    reasoning: readReasoning(body, draft),
    user: textOf(body['safety_identifier']) ?? textOf(body['user']),
    metadata: readMetadata(body['metadata'], draft),
    cacheKey: textOf(body['prompt_cache_key']),
    serviceTier: textOf(body['service_tier']),
    needs: draft.needs,
    dropped: draft.dropped,
  };
}

function readInput(
  value: Json | undefined,
  draft: AskDraft,
): { readonly system: TextPart[]; readonly turns: Turn[] } {
  const system: TextPart[] = [];
  const turns: Turn[] = [];
  if (typeof value === 'string') {
    if (value !== '') turns.push({ role: 'user', parts: [{ type: 'text', text: value }] });
    return { system, turns };
  }
  const items = isArray(value) ? value : value === undefined || value === null ? [] : [value];
  items.forEach((item, index) => {
    const path = `input[${index}]`;
    const turn = isObject(item) ? readItem(item, path, draft) : { role: 'user' as const, parts: [] };
    if (!isObject(item)) turn.parts.push(...readParts(item, path, draft));
    if (turn === undefined || turn.parts.length === 0) return;
    if (turn.role === 'system' && turns.length === 0)
      system.push(...turn.parts.filter((part) => part.type === 'text'));
    else turns.push(turn);
  });
  return { system, turns };
}

interface OpenTurn {
  readonly role: Turn['role'];
  readonly parts: Part[];
}

/** One input item as the turn it is a part of; a bare content part is a user's. */
export function readItem(item: JsonObject, path: string, draft: AskDraft): OpenTurn {
  const type = textOf(item['type']) ?? ('role' in item ? 'message' : '');
  const known = ITEMS.get(type);
  if (known) draft.dropUnknown(item, known, 'input.');
  switch (type) {
    case 'message':
      return readMessage(item, path, draft);
    case 'function_call': {
      const within = textOf(item['namespace']);
      const name = textOf(item['name']) ?? '';
      return assistant({
        type: 'call',
        id: textOf(item['call_id']) ?? textOf(item['id']) ?? '',
        name: within === undefined ? name : `${within}__${name}`,
        input: argumentText(item['arguments']),
        freeform: false,
      });
    }
    case 'custom_tool_call':
      return assistant({
        type: 'call',
        id: textOf(item['call_id']) ?? textOf(item['id']) ?? '',
        name: textOf(item['name']) ?? '',
        input: textOf(item['input']) ?? '',
        freeform: true,
      });
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const parts = resultParts(readParts(item['output'], `${path}.output`, draft), draft);
      const id = textOf(item['call_id']) ?? '';
      return { role: 'user', parts: [{ type: 'result', id, parts, isError: false }] };
    }
    case 'reasoning':
      return readReasoningItem(item, draft, path);
    case 'item_reference':
      // It stands for content that only its keeper has.
      draft.need('stored-state', path);
      return { role: 'assistant', parts: [] };
    default:
      if (isHostedTrace(type)) {
        draft.drop(type);
        return { role: 'assistant', parts: [] };
      }
      // A bare content part stands for a user message of one part.
      return { role: 'user', parts: readParts(item, path, draft) };
  }
}

function assistant(part: Part): OpenTurn {
  return { role: 'assistant', parts: [part] };
}

function readMessage(item: JsonObject, path: string, draft: AskDraft): OpenTurn {
  const parts = readParts(item['content'], `${path}.content`, draft);
  switch (item['role']) {
    case 'system':
    case 'developer':
      return { role: 'system', parts: systemParts(parts, draft) };
    case 'user':
    case 'assistant':
      return { role: item['role'], parts };
    default:
      throw invalid(`\`${path}.role\` must be system, developer, user or assistant.`, `${path}.role`);
  }
}

/** The summary is what a client may read; full reasoning text stands in for it where there is none. */
function readReasoningItem(item: JsonObject, draft: AskDraft, path: string): OpenTurn {
  const source = says(item['summary']) ? item['summary'] : item['content'];
  const text = readParts(source, `${path}.summary`, draft)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n\n');
  const sealed = textOf(item['encrypted_content']);
  const seal = sealed ? unpackSeal(sealed, 'responses') : undefined;
  return text === '' && seal === undefined
    ? { role: 'assistant', parts: [] }
    : assistant({ type: 'reasoning', text, seal });
}
