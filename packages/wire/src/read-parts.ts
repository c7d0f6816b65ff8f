import type { Json, JsonObject } from '@floe/contract/json';
import { type AskDraft, cacheMark, invalid } from './ask-draft.ts';
import { isArray, isObject, listOf, objectOf, textOf } from './json-read.ts';
import { readAudio, readFile, readImage } from './read-media.ts';
import type { CallPart, MediaPart, Part, ResultPart, TextPart } from './request.ts';
import { unpackSeal } from './seal.ts';

const TEXT = new Set(['type', 'text', 'cache_control']);
const THINKING = new Set(['type', 'thinking', 'signature', 'data']);
const TOOL_USE = new Set(['type', 'id', 'tool_call_id', 'name', 'input', 'function', 'cache_control']);
const TOOL_RESULT = new Set('type tool_use_id tool_call_id content is_error cache_control name'.split(' '));

/**
 * Content of any dialect as parts: clients mix the dialects' part types inside one body, so each
 * element is read by its own type. A string is one text part; empty text is none.
 */
export function readParts(
  content: Json | undefined,
  path: string,
  draft: AskDraft,
  inResult = false,
): Part[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const list = isArray(content) ? content : [content];
  return list.flatMap((entry, index) => {
    const at = isArray(content) ? `${path}[${index}]` : path;
    if (typeof entry === 'string') return entry === '' ? [] : [{ type: 'text' as const, text: entry }];
    if (!isObject(entry)) throw invalid(`\`${at}\` must be an object.`, at);
    if (inResult && entry['type'] === 'tool_result') {
      draft.drop('tool_result.tool_result');
      return [];
    }
    const part = readPart(entry, at, draft);
    return part === undefined ? [] : [part];
  });
}

function readPart(part: JsonObject, path: string, draft: AskDraft): Part | undefined {
  const type = textOf(part['type']) ?? (typeof part['text'] === 'string' ? 'text' : '');
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'summary_text':
    case 'reasoning_text': {
      const text = textOf(part['text']) ?? '';
      draft.dropUnknown(part, TEXT, 'text.');
      return text === '' ? undefined : { type: 'text', text, cache: cacheMark(part) };
    }
    case 'refusal': {
      const text = textOf(part['refusal']) ?? textOf(part['text']) ?? '';
      return text === '' ? undefined : { type: 'refusal', text };
    }
    case 'image_url':
    case 'input_image':
    case 'image':
      return readImage(part, path, draft);
    case 'file':
    case 'input_file':
    case 'document':
      return readFile(part, path, draft);
    case 'input_audio':
      return readAudio(part, path, draft);
    case 'thinking': {
      const signature = textOf(part['signature']);
      const text = textOf(part['thinking']) ?? '';
      draft.dropUnknown(part, THINKING, 'thinking.');
      return { type: 'reasoning', text, seal: signature ? unpackSeal(signature, 'messages') : undefined };
    }
    case 'redacted_thinking':
      return {
        type: 'reasoning',
        text: '',
        seal: unpackSeal(textOf(part['data']) ?? '', 'messages', true),
      };
    case 'tool_use':
      return readToolUse(part, draft);
    case 'tool_result':
      return readToolResult(part, path, draft);
    case 'tool_reference':
      return { type: 'text', text: textOf(part['tool_name']) ?? '' };
    default:
      if (isHostedTrace(type)) draft.drop(type);
      else draft.need('unknown-content', path);
      return undefined;
  }
}

/** What a provider's own tool left in the history: no other provider can read it, none needs it. */
export function isHostedTrace(type: string): boolean {
  return (
    /_call(_output)?$/.test(type) ||
    /_tool_result$/.test(type) ||
    /^(server_tool_use|mcp_\w+|compaction|container_upload|item_reference|tool_search_output)$/.test(type)
  );
}

function readToolUse(part: JsonObject, draft: AskDraft): CallPart {
  draft.dropUnknown(part, TOOL_USE, 'tool_use.');
  const inner = objectOf(part['function']);
  return {
    type: 'call',
    id: textOf(part['id']) ?? textOf(part['tool_call_id']) ?? '',
    name: textOf(part['name']) ?? textOf(inner?.['name']) ?? '',
    input: argumentText(part['input'] ?? inner?.['arguments']),
    freeform: false,
    cache: cacheMark(part),
  };
}

function readToolResult(part: JsonObject, path: string, draft: AskDraft): ResultPart {
  draft.dropUnknown(part, TOOL_RESULT, 'tool_result.');
  return {
    type: 'result',
    id: textOf(part['tool_use_id']) ?? textOf(part['tool_call_id']) ?? '',
    parts: resultParts(readParts(part['content'], `${path}.content`, draft, true), draft),
    isError: part['is_error'] === true,
    cache: cacheMark(part),
  };
}

/** What a tool may answer with; anything else among it is reported. */
export function resultParts(parts: readonly Part[], draft: AskDraft): (TextPart | MediaPart)[] {
  return parts.filter((part) => {
    const isResult = part.type === 'text' || part.type === 'media';
    if (!isResult) draft.drop(`tool_result.${part.type}`);
    return isResult;
  });
}

/** What a system prompt is made of; anything else among it is reported. */
export function systemParts(parts: readonly Part[], draft: AskDraft): TextPart[] {
  return parts.filter((part) => {
    if (part.type !== 'text') draft.drop(`system.${part.type === 'media' ? part.kind : part.type}`);
    return part.type === 'text';
  });
}

/** Arguments as JSON text: a string as it stands, an object written out, nothing as `{}`. */
export function argumentText(value: Json | undefined): string {
  if (typeof value === 'string') return value === '' ? '{}' : value;
  return value === undefined || value === null ? '{}' : JSON.stringify(value);
}

/** Text parts of `system` or `instructions`, whichever form it has. */
export function readSystem(value: Json | undefined, path: string, draft: AskDraft): TextPart[] {
  const items = listOf(value);
  const nested = items.some((entry) => isObject(entry) && 'content' in entry && 'role' in entry);
  const content = nested
    ? items.flatMap((entry) => readParts(objectOf(entry)?.['content'], path, draft))
    : readParts(value, path, draft);
  return systemParts(content, draft);
}
