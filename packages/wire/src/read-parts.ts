import type { Json, JsonObject } from '@floe/contract/json';
import { asArray, asObject, asString, isJsonArray, isJsonObject, isNonEmpty } from './json-narrowing.ts';
import { readAudioPart, readFilePart, readImagePart } from './read-media.ts';
import type { ContentPart, MediaPart, TextPart, ToolCallPart, ToolResultPart } from './request.ts';
import {
  createInvalidFieldFault,
  type RequestReadContext,
  readCacheBreakpoint,
} from './request-read-context.ts';
import { unpackSeal } from './seal.ts';

const TEXT_FIELDS = new Set(['type', 'text', 'cache_control']);
/** A text that is not sent cannot have a breakpoint. */
const EMPTY_TEXT_FIELDS = new Set(['type', 'text']);
const REFUSAL_FIELDS = new Set(['type', 'refusal', 'text']);
const TOOL_REFERENCE_FIELDS = new Set(['type', 'tool_name', 'cache_control']);
const THINKING_FIELDS = new Set(['type', 'thinking', 'signature', 'data']);
const TOOL_USE_FIELDS = new Set(['type', 'id', 'tool_call_id', 'name', 'input', 'function', 'cache_control']);
const TOOL_RESULT_FIELDS = new Set(
  'type tool_use_id tool_call_id content is_error cache_control name'.split(' '),
);

/**
 * Reads content from any dialect as parts. Clients mix part types from several dialects in one
 * body, so each element is read according to its own type. A string becomes one text part. Empty
 * text becomes no part.
 * @throws Fault 400 if an element is not a string or an object
 */
export function readContentParts(
  content: Json | undefined,
  path: string,
  draft: RequestReadContext,
  inResult = false,
): ContentPart[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const list = isJsonArray(content) ? content : [content];
  return list.flatMap((entry, index) => {
    const at = isJsonArray(content) ? `${path}[${index}]` : path;
    if (typeof entry === 'string') return entry === '' ? [] : [{ type: 'text' as const, text: entry }];
    if (!isJsonObject(entry)) throw createInvalidFieldFault(`\`${at}\` must be an object.`, at);
    if (inResult && entry['type'] === 'tool_result') {
      draft.reportDropped('tool_result.tool_result');
      return [];
    }
    const part = readPart(entry, at, draft);
    return part === undefined ? [] : [part];
  });
}

function readPart(part: JsonObject, path: string, draft: RequestReadContext): ContentPart | undefined {
  // A part without a type is a text part.
  const type = part['type'] ?? (typeof part['text'] === 'string' ? 'text' : '');
  if (typeof type !== 'string') {
    draft.requireFeature('unknown-content', path);
    return undefined;
  }
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'summary_text':
    case 'reasoning_text':
      return readTextPart(part, path, draft);
    case 'refusal': {
      draft.reportUnknownFields(part, REFUSAL_FIELDS, 'refusal.');
      const text = draft.readFirst(part, ['refusal', 'text'], asString, 'refusal.') ?? '';
      return text === '' ? undefined : { type: 'refusal', text };
    }
    case 'image_url':
    case 'input_image':
    case 'image':
      return readImagePart(part, path, draft);
    case 'file':
    case 'input_file':
    case 'document':
      return readFilePart(part, path, draft);
    case 'input_audio':
      return readAudioPart(part, path, draft);
    case 'thinking': {
      const signature = asString(part['signature']);
      const text = asString(part['thinking']) ?? '';
      draft.reportUnknownFields(part, THINKING_FIELDS, 'thinking.');
      return { type: 'reasoning', text, seal: signature ? unpackSeal(signature, 'messages') : undefined };
    }
    case 'redacted_thinking':
      draft.reportUnknownFields(part, THINKING_FIELDS, 'thinking.');
      return {
        type: 'reasoning',
        text: '',
        seal: unpackSeal(asString(part['data']) ?? '', 'messages', true),
      };
    case 'tool_use':
      return readToolUse(part, draft);
    case 'tool_result':
      return readToolResult(part, path, draft);
    case 'tool_reference':
      draft.reportUnknownFields(part, TOOL_REFERENCE_FIELDS, 'tool_reference.');
      return {
        type: 'text',
        text: asString(part['tool_name']) ?? '',
        cache: readCacheBreakpoint(part, draft),
      };
    default:
      if (isHostedToolItem(type)) draft.reportDropped(type);
      // Without what the client itself adds, such as a file or the output of a command, the answer would change.
      else draft.requireFeature('unknown-content', path);
      return undefined;
  }
}

function readTextPart(part: JsonObject, path: string, draft: RequestReadContext): ContentPart | undefined {
  const given = part['text'];
  if (isNonEmpty(given) && typeof given !== 'string')
    throw createInvalidFieldFault(`\`${path}.text\` must be a string.`, `${path}.text`);
  const text = asString(given) ?? '';
  draft.reportUnknownFields(part, text === '' ? EMPTY_TEXT_FIELDS : TEXT_FIELDS, 'text.');
  return text === '' ? undefined : { type: 'text', text, cache: readCacheBreakpoint(part, draft) };
}

/**
 * Returns whether an item that a provider created belongs to a hosted tool. Other providers cannot read
 * such an item and do not need it.
 */
export function isHostedToolItem(type: string): boolean {
  return (
    /(_call|_tool_result)$/.test(type) ||
    /^(server_tool_use|mcp_(?!approval_response)\w+|item_reference|tool_search_output)$/.test(type)
  );
}

function readToolUse(part: JsonObject, draft: RequestReadContext): ToolCallPart {
  draft.reportUnknownFields(part, TOOL_USE_FIELDS, 'tool_use.');
  const inner = asObject(part['function']);
  const names = { name: part['name'], 'function.name': inner?.['name'] };
  const inputs = { input: part['input'], 'function.arguments': inner?.['arguments'] };
  const input = draft.readFirst(inputs, Object.keys(inputs), (value) => value ?? undefined, 'tool_use.');
  return {
    type: 'call',
    id: draft.readFirst(part, ['id', 'tool_call_id'], asString, 'tool_use.') ?? '',
    name: draft.readFirst(names, Object.keys(names), asString, 'tool_use.') ?? '',
    input: formatToolCallArguments(input),
    freeform: false,
    cache: readCacheBreakpoint(part, draft),
  };
}

function readToolResult(part: JsonObject, path: string, draft: RequestReadContext): ToolResultPart {
  draft.reportUnknownFields(part, TOOL_RESULT_FIELDS, 'tool_result.');
  return {
    type: 'result',
    id: draft.readFirst(part, ['tool_use_id', 'tool_call_id'], asString, 'tool_result.') ?? '',
    parts: filterToolResultParts(readContentParts(part['content'], `${path}.content`, draft, true), draft),
    isError: part['is_error'] === true,
    cache: readCacheBreakpoint(part, draft),
  };
}

/** Returns the parts that are valid in a tool result, and reports all others. */
export function filterToolResultParts(
  parts: readonly ContentPart[],
  draft: RequestReadContext,
): (TextPart | MediaPart)[] {
  return parts.filter((part) => {
    const isResult = part.type === 'text' || part.type === 'media';
    if (!isResult) draft.reportDropped(`tool_result.${part.type}`);
    return isResult;
  });
}

/** Returns the parts that are valid in a system prompt, and reports all others. */
export function filterSystemParts(parts: readonly ContentPart[], draft: RequestReadContext): TextPart[] {
  return parts.filter((part) => {
    if (part.type !== 'text') draft.reportDropped(`system.${part.type === 'media' ? part.kind : part.type}`);
    return part.type === 'text';
  });
}

/**
 * Returns tool call arguments as JSON text: a string unchanged, an object as JSON, and `{}` if
 * absent.
 */
export function formatToolCallArguments(value: Json | undefined): string {
  if (typeof value === 'string') return value === '' ? '{}' : value;
  return value === undefined || value === null ? '{}' : JSON.stringify(value);
}

/** Reads the text parts of `system` or `instructions` in any form. */
export function readSystemPrompt(
  value: Json | undefined,
  path: string,
  draft: RequestReadContext,
): TextPart[] {
  const items = asArray(value);
  const nested = items.some((entry) => isJsonObject(entry) && 'content' in entry && 'role' in entry);
  const content = nested
    ? items.flatMap((entry) => readContentParts(asObject(entry)?.['content'], path, draft))
    : readContentParts(value, path, draft);
  return filterSystemParts(content, draft);
}
