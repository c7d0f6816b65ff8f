import { Fault } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import type { RequestReadOptions } from '../dialect.ts';
import {
  asArray,
  asBoolean,
  asNonEmpty,
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
  readContentParts,
} from '../read-parts.ts';
import { readReasoning } from '../read-reasoning.ts';
import { readResponseFormat, readToolChoice, readTools } from '../read-tools.ts';
import { repairTurns } from '../repair-turns.ts';
import type {
  CanonicalRequest,
  ContentPart,
  ConversationTurn,
  TextPart,
  ToolCallPart,
  ToolDefinition,
} from '../request.ts';
import {
  addUntranslatableFeatures,
  createEmptyFieldFault,
  createInvalidFieldFault,
  createMissingFieldFault,
  RequestReadContext,
  readCacheBreakpoint,
  readIncludeUsage,
  readMetadata,
  readModel,
  readNumberField,
  readStopSequences,
  readTokenLimit,
} from '../request-read-context.ts';
import { addTurnCacheBreakpoint, applyRequestCacheControl } from '../turn-breakpoints.ts';

const REQUEST_FIELDS = new Set(
  (
    'model messages stream stream_options tools tool_choice functions function_call parallel_tool_calls ' +
    'response_format verbosity max_completion_tokens max_tokens stop temperature top_p top_k ' +
    'presence_penalty frequency_penalty seed n logprobs top_logprobs modalities reasoning reasoning_effort ' +
    'thinking user safety_identifier metadata prompt_cache_key service_tier store previous_response_id ' +
    'conversation prompt background web_search_options cache_control'
  ).split(' '),
);

/** `index`, `id` and `status` come from responses that clients send back. They are ignored. */
const PROMPT_MESSAGE_FIELDS = new Set('role content type id index status cache_control'.split(' '));
const ASSISTANT_MESSAGE_FIELDS = new Set(
  (
    'role content refusal tool_calls function_call audio reasoning_content reasoning reasoning_details ' +
    'type id index status cache_control'
  ).split(' '),
);
const TOOL_MESSAGE_FIELDS = new Set(
  'role content tool_call_id name is_error cache_control type id index status'.split(' '),
);
const FIELDS_BY_ROLE: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['assistant', ASSISTANT_MESSAGE_FIELDS],
  ['tool', TOOL_MESSAGE_FIELDS],
  ['function', TOOL_MESSAGE_FIELDS],
]);
/** Clients may omit the type of a call. */
const TOOL_CALL_TYPES: ReadonlySet<Json | undefined> = new Set([undefined, null, '', 'function', 'custom']);
const TOOL_CALL_FIELDS = new Set(
  'id type function custom index cache_control name arguments input'.split(' '),
);

const INNER_TOOL_CALL_FIELDS = new Set(['name', 'arguments', 'input']);

/** Reads a Chat Completions request. @throws Fault 400 with `param` */
export function readRequest(body: JsonObject, options: RequestReadOptions = {}): CanonicalRequest {
  const draft = new RequestReadContext();
  if (body['messages'] === undefined && isNonEmpty(body['input']))
    throw new Fault(
      'invalid_request',
      'The body has `input`, which is a parameter of /gateway/v1/responses. Send `messages`, or use the IDE adapter, which accepts both.',
      { param: 'input' },
    );
  draft.reportUnknownFields(body, REQUEST_FIELDS);
  if (body['store'] === true) draft.reportDropped('store');
  if (isJsonObject(body['web_search_options'])) draft.requireFeature('hosted-tool', 'web_search_options');
  addUntranslatableFeatures(body, draft);
  const member = isNonEmpty(body['tools']) ? 'tools' : 'functions';
  draft.reportUnusedMembers(body, member, ['tools', 'functions']);
  const tools = readTools(body[member], member, draft, options.dropHostedTools === true);
  const choice = draft.readFirst(body, ['tool_choice', 'function_call'], asNonEmpty);
  const { system, turns } = readMessages(body['messages'], tools, draft);
  return {
    dialect: 'chat',
    model: readModel(body),
    stream: body['stream'] === true,
    streamUsage: readIncludeUsage(body, draft),
    system,
    turns: repairTurns(applyRequestCacheControl(turns, body, draft), draft),
    tools,
    toolChoice: readToolChoice(choice, tools, draft),
    parallelTools: tools.length > 0 ? asBoolean(body['parallel_tool_calls']) : undefined,
    format: readResponseFormat(body['response_format'], 'response_format', draft),
    verbosity: asString(body['verbosity']),
    maxTokens: readTokenLimit(body, ['max_completion_tokens', 'max_tokens'], draft),
    stop: readStopSequences(body['stop']),
    sampling: {
      temperature: readNumberField(body, 'temperature'),
      topP: readNumberField(body, 'top_p'),
      topK: readNumberField(body, 'top_k'),
      presencePenalty: readNumberField(body, 'presence_penalty'),
      frequencyPenalty: readNumberField(body, 'frequency_penalty'),
      seed: readNumberField(body, 'seed'),
    },
    reasoning: readReasoning(body, draft),
    user: draft.readFirst(body, ['safety_identifier', 'user'], asString),
    metadata: readMetadata(body['metadata'], draft),
    cacheKey: asString(body['prompt_cache_key']),
    serviceTier: asString(body['service_tier']),
    requiredFeatures: draft.requiredFeatures,
    dropped: draft.dropped,
  };
}

/** System messages before the first turn become the system prompt. Later ones keep their position. */
function readMessages(
  value: Json | undefined,
  tools: readonly ToolDefinition[],
  draft: RequestReadContext,
): { readonly system: TextPart[]; readonly turns: ConversationTurn[] } {
  if (!isNonEmpty(value))
    throw isJsonArray(value) ? createEmptyFieldFault('messages') : createMissingFieldFault('messages');
  const system: TextPart[] = [];
  const turns: ConversationTurn[] = [];
  const freeform = new Set(tools.filter((tool) => tool.kind === 'freeform').map((tool) => tool.name));
  asArray(value).forEach((entry, index) => {
    const path = `messages[${index}]`;
    if (!isJsonObject(entry)) throw createInvalidFieldFault(`\`${path}\` must be an object.`, path);
    const turn = addTurnCacheBreakpoint(
      readChatMessage(entry, freeform, path, draft),
      readCacheBreakpoint(entry, draft),
    );
    if (turn.parts.length === 0) return;
    if (turn.role === 'system' && turns.length === 0)
      system.push(...turn.parts.filter((part) => part.type === 'text'));
    else turns.push(turn);
  });
  if (turns.length === 0 && system.length === 0 && draft.requiredFeatures.size === 0)
    throw createEmptyFieldFault('messages');
  return { system, turns };
}

/**
 * Reads a Chat message, whose content may have parts of any dialect.
 * @throws Fault 400 with `param` if the role is unknown
 */
export function readChatMessage(
  message: JsonObject,
  freeform: ReadonlySet<string>,
  path: string,
  draft: RequestReadContext,
): ConversationTurn {
  const role = asString(message['role']);
  draft.reportUnknownFields(message, FIELDS_BY_ROLE.get(role ?? '') ?? PROMPT_MESSAGE_FIELDS, 'messages.');
  const content = readContentParts(message['content'], `${path}.content`, draft);
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'system', parts: filterSystemParts(content, draft) };
    case 'user':
      return { role, parts: content };
    case 'assistant':
      return {
        role,
        parts: [
          ...readReasoningParts(message, draft),
          ...content,
          ...readRefusalAndCalls(message, freeform, path, draft),
        ],
      };
    case 'tool':
    case 'function': {
      const id = asString(message['tool_call_id']) ?? asString(message['name']) ?? '';
      const cache = readCacheBreakpoint(message, draft);
      return {
        role: 'user',
        parts: [
          {
            type: 'result',
            id,
            parts: filterToolResultParts(content, draft),
            isError: message['is_error'] === true,
            cache,
          },
        ],
      };
    }
    default:
      throw createInvalidFieldFault(
        `\`${path}.role\` must be system, developer, user, assistant or tool.`,
        `${path}.role`,
      );
  }
}

/** Reads the refusal and the calls of an assistant message. */
function readRefusalAndCalls(
  message: JsonObject,
  freeform: ReadonlySet<string>,
  path: string,
  draft: RequestReadContext,
): ContentPart[] {
  const parts: ContentPart[] = [];
  const refusal = asString(message['refusal']);
  if (refusal) parts.push({ type: 'refusal', text: refusal });
  if (isNonEmpty(message['audio'])) draft.requireFeature('unknown-content', `${path}.audio`);
  asArray(message['tool_calls']).forEach((entry, index) => {
    const at = `${path}.tool_calls[${index}]`;
    if (!isJsonObject(entry)) throw createInvalidFieldFault(`\`${at}\` must be an object.`, at);
    if (TOOL_CALL_TYPES.has(entry['type'])) {
      draft.reportUnknownFields(entry, TOOL_CALL_FIELDS, 'tool_calls.');
      parts.push(readToolCall(entry, freeform, draft));
    } else draft.requireFeature('unknown-content', at);
  });
  const legacy = asObject(message['function_call']);
  if (legacy)
    parts.push({
      ...readToolCall({ function: legacy }, freeform, draft),
      id: asString(legacy['name']) ?? '',
    });
  return parts;
}

/** A function call of a freeform tool has raw text as its arguments. */
function readToolCall(
  entry: JsonObject,
  freeform: ReadonlySet<string>,
  draft: RequestReadContext,
): ToolCallPart {
  const custom = asObject(entry['custom']);
  const inner = custom ?? asObject(entry['function']) ?? entry;
  if (inner !== entry) draft.reportUnknownFields(inner, INNER_TOOL_CALL_FIELDS, 'tool_calls.');
  draft.reportOuterMembers(entry, inner, INNER_TOOL_CALL_FIELDS, 'tool_calls.');
  if (custom) draft.reportUnusedMembers(entry, 'custom', ['custom', 'function'], 'tool_calls.');
  const name = asString(inner['name']) ?? '';
  const raw = custom !== undefined || entry['type'] === 'custom' || freeform.has(name);
  if (!raw) draft.reportUnusedMembers(inner, 'arguments', ['arguments', 'input'], 'tool_calls.');
  return {
    type: 'call',
    id: asString(entry['id']) ?? '',
    name,
    input: raw
      ? (draft.readFirst(inner, ['input', 'arguments'], asString, 'tool_calls.') ?? '')
      : formatToolCallArguments(inner['arguments']),
    freeform: raw,
    cache: readCacheBreakpoint(entry, draft),
  };
}

function readReasoningParts(message: JsonObject, draft: RequestReadContext): ContentPart[] {
  const details = asArray(message['reasoning_details']);
  const text =
    draft.readFirst(message, ['reasoning_content', 'reasoning'], asString, 'messages.') ??
    details.map((entry) => asString(asObject(entry)?.['text']) ?? '').join('');
  if (details.length > 0)
    return [{ type: 'reasoning', text, seal: { dialect: 'chat', value: JSON.stringify(details) } }];
  return text === '' ? [] : [{ type: 'reasoning', text }];
}
