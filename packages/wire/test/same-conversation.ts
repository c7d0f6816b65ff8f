// Two asks that mean the same, whatever dialect the second went through.
import assert from 'node:assert/strict';
import type { Json, JsonObject } from '@floe/contract/json';
import { tryParseJson } from '../src/json-narrowing.ts';
import type { CanonicalRequest, ContentPart } from '../src/request.ts';

/** What stands for JSON mode where a dialect has none; reported as dropped `response_format`. */
const JSON_ONLY = /(prompt)?AnswerwithoneJSONobjectandnothingelse:noprose,nocodefence\./;

/** Conversation, tools, choice, limit and schema; hints and reasoning may be among the reported drops. */
export function assertSameConversation(
  sent: CanonicalRequest,
  back: CanonicalRequest,
  dropped: ReadonlySet<string>,
): void {
  assert.equal(conversationText(back), conversationText(sent), 'conversation');
  assert.equal(countMedia(back), countMedia(sent), 'media');
  assert.deepEqual(
    back.tools.map((tool) => tool.name),
    sent.tools.map((tool) => tool.name),
    'tools',
  );
  if (sent.toolChoice?.mode === 'named' || sent.toolChoice?.mode === 'required')
    assert.deepEqual(back.toolChoice?.mode, sent.toolChoice.mode, 'tool choice');
  if (sent.maxTokens !== undefined && !dropped.has('max_output_tokens.clamped'))
    assert.equal(back.maxTokens, sent.maxTokens, 'limit');
  if (sent.format?.type === 'schema') {
    assert.ok(back.format?.type === 'schema');
    // Messages closes every object of a schema.
    const closed = JSON.stringify(back.format.schema).replaceAll(',"additionalProperties":false', '');
    const original = JSON.stringify(sent.format.schema).replaceAll(',"additionalProperties":false', '');
    if (![...dropped].some((name) => name.startsWith('schema.'))) assert.equal(closed, original, 'schema');
  }
}

/**
 * The whole conversation as one text: ids by order of appearance, for providers limit their form; texts
 * of one role that follow each other count as one, for some dialects join them.
 */
function conversationText(request: CanonicalRequest): string {
  const ids = new Map<string, number>();
  const number = (id: string): number => {
    if (!ids.has(id)) ids.set(id, ids.size);
    return ids.get(id) ?? 0;
  };
  const system = request.turns.length > 0 ? request.system : [];
  const turns = request.turns.length > 0 ? request.turns : [{ role: 'user' as const, parts: request.system }];
  const words: JsonObject[] = [
    ...system.map((part) => ({ role: 'prompt', text: part.text })),
    ...turns.flatMap((turn) => turn.parts.flatMap((part) => partTexts(turn.role, part, number))),
  ];
  let role: Json | undefined;
  return words
    .map((word) => {
      const same = word['text'] !== undefined && word['role'] !== undefined && word['role'] === role;
      role = word['role'];
      return same
        ? String(word['text']).trim()
        : `\n${role ?? ''} ${word['text'] === undefined ? JSON.stringify(word) : String(word['text']).trim()}`;
    })
    .join('')
    .replaceAll(/\s+/g, '')
    .replace(JSON_ONLY, '');
}

function partTexts(role: string, part: ContentPart, number: (id: string) => number): JsonObject[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text.trim() === ''
        ? []
        : [{ role: part.text.startsWith('<system-reminder>') ? 'system' : role, text: plainText(part.text) }];
    case 'call':
      return [{ call: number(part.id), name: part.name, input: inputOf(part.input, part.freeform) }];
    case 'result': {
      const text = part.parts.map((inner) => (inner.type === 'text' ? inner.text : '')).join('');
      const error = part.isError && !text.startsWith('Error: ') ? 'Error: ' : '';
      return [{ result: number(part.id), said: `${error}${text}`.replaceAll(/\s+/g, '') }];
    }
    default:
      return [];
  }
}

function inputOf(input: string, freeform: boolean): Json {
  return freeform ? { input } : (tryParseJson(input) ?? input);
}

function plainText(text: string): string {
  return text.replace(/^<system-reminder>\n|\n<\/system-reminder>$/g, '');
}

function countMedia(request: CanonicalRequest): number {
  const parts = request.turns.flatMap((turn) => turn.parts);
  const inner = parts.flatMap((part) => (part.type === 'result' ? part.parts : []));
  return [...parts, ...inner].filter((part) => part.type === 'media').length;
}
