import type { Json, JsonObject } from '@floe/contract/json';
import type { RequestReadOptions } from '../dialect.ts';
import {
  asArray,
  asBoolean,
  asObject,
  asString,
  isJsonArray,
  isJsonObject,
  isNonEmpty,
} from '../json-narrowing.ts';
import {
  filterSystemParts,
  filterToolResultParts,
  formatToolCallArguments,
  isHostedToolItem,
  readContentParts,
  readSystemPrompt,
} from '../read-parts.ts';
import { readReasoning } from '../read-reasoning.ts';
import { readResponseFormat, readToolChoice, readTools } from '../read-tools.ts';
import { repairTurns } from '../repair-turns.ts';
import type { CanonicalRequest, ContentPart, ConversationTurn, TextPart } from '../request.ts';
import {
  addUntranslatableFeatures,
  createEmptyFieldFault,
  createInvalidFieldFault,
  createMissingFieldFault,
  RequestReadContext,
  readMetadata,
  readModel,
  readNumberField,
  readTokenLimit,
} from '../request-read-context.ts';
import { unpackSeal } from '../seal.ts';

const REQUEST_FIELDS = new Set(
  (
    'model input instructions stream stream_options tools tool_choice parallel_tool_calls text ' +
    'max_output_tokens max_tokens max_completion_tokens temperature top_p top_logprobs reasoning user ' +
    'safety_identifier metadata prompt_cache_key service_tier store include previous_response_id ' +
    'conversation prompt background truncation'
  ).split(' '),
);

/** Ids and states come from responses that clients send back. They are ignored. */
const ITEM_FIELDS = ['type', 'id', 'status', 'created_by'];
const CALL_ITEM_FIELDS = new Set([...ITEM_FIELDS, 'call_id', 'name', 'namespace', 'arguments', 'input']);
const RESULT_ITEM_FIELDS = new Set([...ITEM_FIELDS, 'call_id', 'output', 'name']);
const FIELDS_BY_ITEM_TYPE: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['message', new Set([...ITEM_FIELDS, 'role', 'content'])],
  ['function_call', CALL_ITEM_FIELDS],
  ['custom_tool_call', CALL_ITEM_FIELDS],
  ['function_call_output', RESULT_ITEM_FIELDS],
  ['custom_tool_call_output', RESULT_ITEM_FIELDS],
  ['reasoning', new Set([...ITEM_FIELDS, 'summary', 'content', 'encrypted_content'])],
]);
const TEXT_FIELDS = new Set(['format', 'verbosity']);
const TOKEN_LIMIT_FIELDS = ['max_output_tokens', 'max_completion_tokens', 'max_tokens'] as const;
/** `include` values that Floe supports wherever possible. */
const SUPPORTED_INCLUDES = new Set<Json>(['reasoning.encrypted_content', 'message.output_text.logprobs']);

/**
 * Reads a Responses request. Stored turns must already have been inserted into `input`.
 * @throws Fault 400 with `param`
 */
export function readRequest(body: JsonObject, options: RequestReadOptions = {}): CanonicalRequest {
  const draft = new RequestReadContext('input');
  draft.reportUnknownFields(body, REQUEST_FIELDS);
  if (isNonEmpty(body['truncation']) && body['truncation'] !== 'disabled') draft.reportDropped('truncation');
  addUntranslatableFeatures(body, draft);
  if (asArray(body['include']).includes('message.output_text.logprobs'))
    draft.requireFeature('logprobs', 'include');
  const tools = readTools(body['tools'], 'tools', draft, options.dropHostedTools === true);
  const { system, turns } = readInput(body['input'], draft);
  const text = asObject(body['text']);
  if (text) draft.reportUnknownFields(text, TEXT_FIELDS, 'text.');
  if (asArray(body['include']).some((wish) => !SUPPORTED_INCLUDES.has(wish))) draft.reportDropped('include');
  const instructions = readSystemPrompt(body['instructions'], 'instructions', draft);
  const isEmpty = turns.length === 0 && system.length === 0 && instructions.length === 0;
  if (isEmpty && draft.requiredFeatures.size === 0)
    throw body['input'] === undefined || body['input'] === null
      ? createMissingFieldFault('input')
      : createEmptyFieldFault('input');
  return {
    dialect: 'responses',
    model: readModel(body),
    stream: body['stream'] === true,
    streamUsage: true,
    system: [...instructions, ...system],
    turns: repairTurns(turns, draft),
    tools,
    toolChoice: readToolChoice(body['tool_choice'], tools, draft),
    parallelTools: tools.length > 0 ? asBoolean(body['parallel_tool_calls']) : undefined,
    format: readResponseFormat(text?.['format'], 'text.format', draft),
    verbosity: asString(text?.['verbosity']),
    maxTokens: readTokenLimit(body, TOKEN_LIMIT_FIELDS, draft),
    stop: [],
    sampling: { temperature: readNumberField(body, 'temperature'), topP: readNumberField(body, 'top_p') },
    reasoning: readReasoning(body, draft),
    user: draft.readFirst(body, ['safety_identifier', 'user'], asString),
    metadata: readMetadata(body['metadata'], draft),
    cacheKey: asString(body['prompt_cache_key']),
    serviceTier: asString(body['service_tier']),
    requiredFeatures: draft.requiredFeatures,
    dropped: draft.dropped,
  };
}

function readInput(
  value: Json | undefined,
  draft: RequestReadContext,
): { readonly system: TextPart[]; readonly turns: ConversationTurn[] } {
  const system: TextPart[] = [];
  const turns: ConversationTurn[] = [];
  if (typeof value === 'string') {
    if (value !== '') turns.push({ role: 'user', parts: [{ type: 'text', text: value }] });
    return { system, turns };
  }
  const items = isJsonArray(value) ? value : value === undefined || value === null ? [] : [value];
  items.forEach((item, index) => {
    const path = `input[${index}]`;
    const turn = isJsonObject(item) ? readInputItem(item, path, draft) : { role: 'user' as const, parts: [] };
    if (!isJsonObject(item)) turn.parts.push(...readContentParts(item, path, draft));
    if (turn === undefined || turn.parts.length === 0) return;
    if (turn.role === 'system' && turns.length === 0)
      system.push(...turn.parts.filter((part) => part.type === 'text'));
    else turns.push(turn);
  });
  return { system, turns };
}

interface OpenTurn {
  readonly role: ConversationTurn['role'];
  readonly parts: ContentPart[];
}

/** Reads an input item as the turn that it belongs to. A content part belongs to a user turn. */
export function readInputItem(item: JsonObject, path: string, draft: RequestReadContext): OpenTurn {
  const type = asString(item['type']) ?? ('role' in item ? 'message' : '');
  const known = FIELDS_BY_ITEM_TYPE.get(type);
  if (known) draft.reportUnknownFields(item, known, 'input.');
  switch (type) {
    case 'message':
      return readMessageItem(item, path, draft);
    case 'function_call':
    case 'custom_tool_call':
      return assistantTurn(readCallItem(item, type === 'custom_tool_call', draft));
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const parts = filterToolResultParts(readContentParts(item['output'], `${path}.output`, draft), draft);
      const id = asString(item['call_id']) ?? '';
      return { role: 'user', parts: [{ type: 'result', id, parts, isError: false }] };
    }
    case 'reasoning':
      return readReasoningItem(item, draft, path);
    case 'item_reference':
    case 'compaction':
      // Only the provider that created the item can read its content.
      draft.requireFeature('stored-state', path);
      return { role: 'assistant', parts: [] };
    default:
      if (isHostedToolItem(type)) {
        draft.reportDropped(type);
        return { role: 'assistant', parts: [] };
      }
      // A content part is a user message with one part.
      return { role: 'user', parts: readContentParts(item, path, draft) };
  }
}

function readCallItem(item: JsonObject, freeform: boolean, draft: RequestReadContext): ContentPart {
  draft.reportUnusedMembers(item, freeform ? 'input' : 'arguments', ['input', 'arguments'], 'input.');
  const namespace = asString(item['namespace']);
  const name = asString(item['name']) ?? '';
  return {
    type: 'call',
    id: asString(item['call_id']) ?? asString(item['id']) ?? '',
    name: namespace === undefined ? name : `${namespace}__${name}`,
    input: freeform ? (asString(item['input']) ?? '') : formatToolCallArguments(item['arguments']),
    freeform,
  };
}

function assistantTurn(part: ContentPart): OpenTurn {
  return { role: 'assistant', parts: [part] };
}

function readMessageItem(item: JsonObject, path: string, draft: RequestReadContext): OpenTurn {
  const parts = readContentParts(item['content'], `${path}.content`, draft);
  switch (item['role']) {
    case 'system':
    case 'developer':
      return { role: 'system', parts: filterSystemParts(parts, draft) };
    case 'user':
    case 'assistant':
      return { role: item['role'], parts };
    default:
      throw createInvalidFieldFault(
        `\`${path}.role\` must be system, developer, user or assistant.`,
        `${path}.role`,
      );
  }
}

/** The summary is what clients may read. The full reasoning text is used if there is no summary. */
function readReasoningItem(item: JsonObject, draft: RequestReadContext, path: string): OpenTurn {
  const source = isNonEmpty(item['summary']) ? item['summary'] : item['content'];
  if (source !== item['content'] && isNonEmpty(item['content'])) draft.reportDropped('reasoning.content');
  const text = readContentParts(source, `${path}.summary`, draft)
    .map((part) => {
      if (part.type === 'text') return part.text;
      draft.reportDropped(`reasoning.${part.type}`);
      return '';
    })
    .join('\n\n');
  const sealed = asString(item['encrypted_content']);
  const seal = sealed ? unpackSeal(sealed, 'responses') : undefined;
  return text === '' && seal === undefined
    ? { role: 'assistant', parts: [] }
    : assistantTurn({ type: 'reasoning', text, seal });
}
