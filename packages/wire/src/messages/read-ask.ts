import type { Json, JsonObject } from '@floe/contract/json';
import {
  AskDraft,
  empty,
  invalid,
  missing,
  readLimit,
  readModel,
  readNumber,
  readReasoning,
  readStop,
} from '../ask-draft.ts';
import type { ReadOptions } from '../dialect.ts';
import { isArray, isObject, listOf, objectOf, says, textOf } from '../json-read.ts';
import { markLast } from '../mark-turns.ts';
import { readParts, readSystem, systemParts } from '../read-parts.ts';
import { readFormat, readToolChoice, readTools } from '../read-tools.ts';
import { repairTurns } from '../repair.ts';
import type { Ask, TextPart, Turn } from '../request.ts';

const KNOWN = new Set(
  (
    'model messages system stream tools tool_choice output_config output_format max_tokens stop_sequences ' +
    'temperature top_p top_k thinking metadata service_tier cache_control container mcp_servers'
  ).split(' '),
);

const MESSAGE = new Set(['role', 'content']);
const METADATA = new Set(['user_id']);

/** Reads a Messages request. @throws Fault 400 with `param`. */
export function readAsk(body: JsonObject, options: ReadOptions = {}): Ask {
  const draft = new AskDraft();
  draft.dropUnknown(body, KNOWN);
  const metadata = objectOf(body['metadata']) ?? {};
  draft.dropUnknown(metadata, METADATA, 'metadata.');
  for (const key of ['mcp_servers', 'container']) if (says(body[key])) draft.need('hosted-tool', key);
  const tools = readTools(body['tools'], 'tools', draft, options.dropHostedTools === true);
  const { system, turns } = readMessages(body['messages'], draft);
  const choice = objectOf(body['tool_choice']);
  const config = objectOf(body['output_config']);
  const format = config?.['format'] ?? body['output_format'];
  return {
    dialect: 'messages',
    model: readModel(body),
    stream: body['stream'] === true,
    streamUsage: true,
    system: withoutBilling([...readSystem(body['system'], 'system', draft), ...system], draft),
    turns: repairTurns(markLast(turns, body), draft),
    tools,
    toolChoice: readToolChoice(body['tool_choice'], tools),
    parallelTools: tools.length > 0 && choice?.['disable_parallel_tool_use'] === true ? false : undefined,
    format: readFormat(format, 'output_config.format', draft),
    maxTokens: readLimit(body, ['max_tokens']),
    stop: readStop(body['stop_sequences']),
    sampling: {
      temperature: readNumber(body, 'temperature'),
      topP: readNumber(body, 'top_p'),
      topK: readNumber(body, 'top_k'),
    },
    reasoning: readReasoning(body, draft),
    user: textOf(metadata['user_id']),
    serviceTier: textOf(body['service_tier']),
    needs: draft.needs,
    dropped: draft.dropped,
  };
}

/** An agent's first system block may be a line for its own vendor that changes with every request. */
const BILLING = /^x-[a-z]+-billing-header:/;

function withoutBilling(system: readonly TextPart[], draft: AskDraft): TextPart[] {
  return system.filter(({ text }) => {
    const billing = BILLING.test(text);
    if (billing) draft.drop('system.billing');
    return !billing;
  });
}

function readMessages(
  value: Json | undefined,
  draft: AskDraft,
): { readonly system: TextPart[]; readonly turns: Turn[] } {
  if (!says(value)) throw isArray(value) ? empty('messages') : missing('messages');
  const system: TextPart[] = [];
  const turns: Turn[] = [];
  listOf(value).forEach((entry, index) => {
    const path = `messages[${index}]`;
    if (!isObject(entry)) throw invalid(`\`${path}\` must be an object.`, path);
    const role = textOf(entry['role']);
    draft.dropUnknown(entry, MESSAGE, 'messages.');
    const parts = readParts(entry['content'], `${path}.content`, draft);
    if (role === 'system') {
      const texts = systemParts(parts, draft);
      if (turns.length === 0) system.push(...texts);
      else if (texts.length > 0) turns.push({ role, parts: texts });
    } else if (role === 'user' || role === 'assistant') {
      if (parts.length > 0) turns.push({ role, parts });
    } else throw invalid(`\`${path}.role\` must be user or assistant.`, `${path}.role`);
  });
  if (turns.length === 0 && draft.needs.size === 0) throw empty('messages');
  return { system, turns };
}
