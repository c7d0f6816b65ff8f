import type { Json, JsonObject } from '@floe/contract/json';
import type { RequestReadOptions } from '../dialect.ts';
import {
  asArray,
  asNonEmpty,
  asObject,
  asString,
  isJsonArray,
  isJsonObject,
  isNonEmpty,
} from '../json-narrowing.ts';
import { filterSystemParts, readContentParts, readSystemPrompt } from '../read-parts.ts';
import { readReasoning } from '../read-reasoning.ts';
import { readResponseFormat, readToolChoice, readTools } from '../read-tools.ts';
import { repairTurns } from '../repair-turns.ts';
import type { CanonicalRequest, ConversationTurn, TextPart } from '../request.ts';
import {
  createEmptyFieldFault,
  createInvalidFieldFault,
  createMissingFieldFault,
  RequestReadContext,
  readModel,
  readNumberField,
  readStopSequences,
  readTokenLimit,
} from '../request-read-context.ts';
import { applyRequestCacheControl } from '../turn-breakpoints.ts';
import { applyToolChanges, isToolChange } from './tool-changes.ts';

const REQUEST_FIELDS = new Set(
  (
    'model messages system stream tools tool_choice output_config output_format max_tokens stop_sequences ' +
    'temperature top_p top_k thinking metadata service_tier cache_control container mcp_servers compaction'
  ).split(' '),
);

const MESSAGE_FIELDS = new Set(['role', 'content']);
const SYSTEM_MESSAGE_FIELDS = new Set(['role', 'content', 'clear_at']);
/** The value of `clear_at` for a system message that the model no longer sees after the next user message. */
const CLEAR_AT_NEXT = 'next_user_message';
const METADATA_FIELDS = new Set(['user_id']);

/** Reads a Messages request. @throws Fault 400 with `param` */
export function readRequest(body: JsonObject, options: RequestReadOptions = {}): CanonicalRequest {
  const draft = new RequestReadContext();
  draft.reportUnknownFields(body, REQUEST_FIELDS);
  const metadata = asObject(body['metadata']) ?? {};
  draft.reportUnknownFields(metadata, METADATA_FIELDS, 'metadata.');
  for (const key of ['mcp_servers', 'container', 'compaction'])
    if (isNonEmpty(body[key])) draft.requireFeature('hosted-tool', key);
  const dropHosted = options.dropHostedTools === true;
  const listed = readTools(body['tools'], 'tools', draft, dropHosted);
  const tools = applyToolChanges(listed, body['messages'], draft, dropHosted);
  const { system, turns } = readMessages(body['messages'], draft);
  const choice = asObject(body['tool_choice']);
  const formats: JsonObject = {
    'output_config.format': asObject(body['output_config'])?.['format'],
    output_format: body['output_format'],
  };
  const format = draft.readFirst(formats, Object.keys(formats), asNonEmpty);
  return {
    dialect: 'messages',
    model: readModel(body),
    stream: body['stream'] === true,
    streamUsage: true,
    system: withoutBillingLine([...readSystemPrompt(body['system'], 'system', draft), ...system], draft),
    turns: repairTurns(applyRequestCacheControl(turns, body, draft), draft),
    tools,
    toolChoice: readToolChoice(body['tool_choice'], tools, draft),
    parallelTools: tools.length > 0 && choice?.['disable_parallel_tool_use'] === true ? false : undefined,
    format: readResponseFormat(format, 'output_config.format', draft),
    maxTokens: readTokenLimit(body, ['max_tokens'], draft),
    stop: readStopSequences(body['stop_sequences']),
    sampling: {
      temperature: readNumberField(body, 'temperature'),
      topP: readNumberField(body, 'top_p'),
      topK: readNumberField(body, 'top_k'),
    },
    reasoning: readReasoning(body, draft),
    user: asString(metadata['user_id']),
    serviceTier: asString(body['service_tier']),
    requiredFeatures: draft.requiredFeatures,
    dropped: draft.dropped,
  };
}

/** The first system block of an agent can be a line for its own vendor that changes with each request. */
const BILLING_LINE = /^x-[a-z]+-billing-header:/;

function withoutBillingLine(system: readonly TextPart[], draft: RequestReadContext): TextPart[] {
  return system.filter(({ text }) => {
    const billing = BILLING_LINE.test(text);
    if (billing) draft.reportDropped('system.billing');
    return !billing;
  });
}

function readMessages(
  value: Json | undefined,
  draft: RequestReadContext,
): { readonly system: TextPart[]; readonly turns: ConversationTurn[] } {
  if (!isNonEmpty(value))
    throw isJsonArray(value) ? createEmptyFieldFault('messages') : createMissingFieldFault('messages');
  const system: TextPart[] = [];
  const turns: ConversationTurn[] = [];
  const entries = asArray(value);
  const lastUser = entries.findLastIndex((entry) => asObject(entry)?.['role'] === 'user');
  entries.forEach((entry, index) => {
    const path = `messages[${index}]`;
    if (!isJsonObject(entry)) throw createInvalidFieldFault(`\`${path}\` must be an object.`, path);
    const role = asString(entry['role']);
    const isSystem = role === 'system';
    draft.reportUnknownFields(entry, isSystem ? SYSTEM_MESSAGE_FIELDS : MESSAGE_FIELDS, 'messages.');
    if (isSystem && isNonEmpty(entry['clear_at']) && entry['clear_at'] !== CLEAR_AT_NEXT)
      draft.reportDropped('messages.clear_at');
    const content = isSystem ? readSystemContent(entry, index < lastUser) : entry['content'];
    const parts = readContentParts(content, `${path}.content`, draft);
    if (isSystem) {
      const texts = filterSystemParts(parts, draft);
      if (turns.length === 0) system.push(...texts);
      else if (texts.length > 0) turns.push({ role, parts: texts });
    } else if (role === 'user' || role === 'assistant') {
      if (parts.length > 0) turns.push({ role, parts });
    } else throw createInvalidFieldFault(`\`${path}.role\` must be user or assistant.`, `${path}.role`);
  });
  if (turns.length === 0 && draft.requiredFeatures.size === 0) throw createEmptyFieldFault('messages');
  return { system, turns };
}

/** Returns the content of a system message without tool changes, and without text that the model no longer sees. */
function readSystemContent(
  { content, clear_at: clearAt }: JsonObject,
  isBeforeUser: boolean,
): Json | undefined {
  if (isBeforeUser && clearAt === CLEAR_AT_NEXT) return [];
  return isJsonArray(content) ? content.filter((block) => !isToolChange(block)) : content;
}
