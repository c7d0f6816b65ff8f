import type { Json } from '@floe/contract/json';
import { readChatMessage } from '../chat/read-request.ts';
import { asString, isJsonObject, tryParseJson } from '../json-narrowing.ts';
import { readContentParts } from '../read-parts.ts';
import type {
  ContentPart,
  ConversationTurn,
  MediaPart,
  ToolCallPart,
  ToolDefinition,
  ToolResultPart,
} from '../request.ts';
import { createInvalidFieldFault, type RequestReadContext } from '../request-read-context.ts';
import { readInputItem } from '../responses/read-request.ts';
import type { ConversationSource } from './conversation-source.ts';

const MIME = /^[\w.+-]+\/[\w.+;=-]+$/;
const DETAILS = new Set(['low', 'high', 'auto']);

/**
 * Reads every element of a conversation according to its own form: message, item or content part.
 */
export function readConversationElements(
  { member, elements }: ConversationSource,
  tools: readonly ToolDefinition[],
  draft: RequestReadContext,
): ConversationTurn[] {
  const freeform = new Set(tools.filter((tool) => tool.kind === 'freeform').map((tool) => tool.name));
  const calls = new CallIdAssigner(freeform);
  return elements.flatMap((element, index) => {
    const path = `${member}[${index}]`;
    const turn = readElement(element, freeform, path, draft);
    const parts = turn.parts
      .flatMap((part) => sanitizePart(part, calls, path, draft))
      .flatMap((part) => adaptToRole(part, turn.role, draft));
    return parts.length === 0 ? [] : [{ role: turn.role, parts }];
  });
}

/** Only Gemini accepts images from an assistant. */
function adaptToRole(
  part: ContentPart,
  role: ConversationTurn['role'],
  draft: RequestReadContext,
): readonly ContentPart[] {
  if (part.type !== 'media' || role !== 'assistant') return [part];
  draft.reportDropped(`assistant.${part.kind}`);
  return [];
}

function readElement(
  element: Json,
  freeform: ReadonlySet<string>,
  path: string,
  draft: RequestReadContext,
): { readonly role: ConversationTurn['role']; readonly parts: readonly ContentPart[] } {
  if (!isJsonObject(element)) return { role: 'user', parts: readContentParts(element, path, draft) };
  const type = asString(element['type']);
  const isMessage = 'role' in element && (type === undefined || type === 'message' || 'content' in element);
  if (isMessage) return readChatMessage(element, freeform, path, draft);
  if (type === 'message') throw createInvalidFieldFault(`\`${path}.role\` is required.`, `${path}.role`);
  return readInputItem(element, path, draft);
}

/** Returns the part to keep, or nothing: white space is dropped, and reasoning has no valid seal. */
function sanitizePart(
  part: ContentPart,
  calls: CallIdAssigner,
  path: string,
  draft: RequestReadContext,
): readonly ContentPart[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text.trim() === '' ? [] : [part];
    case 'reasoning':
      draft.reportDropped('reasoning');
      return [];
    case 'media':
      return [validateMedia(part, path, draft)];
    case 'call':
      return [calls.call(part, path)];
    case 'result': {
      const parts = part.parts.map((inner) =>
        inner.type === 'media' ? validateMedia(inner, path, draft) : inner,
      );
      return calls.result({ ...part, parts }, draft);
    }
  }
}

function validateMedia(part: MediaPart, path: string, draft: RequestReadContext): MediaPart {
  const { source } = part;
  if ('url' in source && source.url.trim() === '')
    throw createInvalidFieldFault(`\`${path}\` must not contain an empty URL.`, path);
  if ('data' in source && !MIME.test(source.mime))
    throw createInvalidFieldFault(`\`${path}\` must have a media type, such as image/png.`, path);
  if (part.kind === 'file' && 'data' in source && source.mime.startsWith('image/')) {
    draft.requireFeature('image', path);
    return { ...part, kind: 'image' };
  }
  return part.detail === undefined || DETAILS.has(part.detail) ? part : { ...part, detail: undefined };
}

/** A call of a freeform tool has raw text, even if the history contains it as a function call. */
function asDeclaredTool(call: ToolCallPart, freeform: ReadonlySet<string>): ToolCallPart {
  if (call.freeform || !freeform.has(call.name)) return call;
  const parsed = tryParseJson(call.input);
  const wrapped =
    isJsonObject(parsed) && Object.keys(parsed).length === 1 ? asString(parsed['input']) : undefined;
  return { ...call, input: wrapped ?? call.input, freeform: true };
}

/**
 * Reads calls in the form of their declared tools. Assigns an id to a call without one; the next result
 * without an id gets the same id.
 */
class CallIdAssigner {
  readonly #freeform: ReadonlySet<string>;
  #made = 0;
  #unanswered: string[] = [];
  #answered = 0;

  constructor(freeform: ReadonlySet<string>) {
    this.#freeform = freeform;
  }

  call(made: ToolCallPart, path: string): ToolCallPart {
    const call = asDeclaredTool(made, this.#freeform);
    if (call.name === '')
      throw createInvalidFieldFault(`Each tool call in \`${path}\` must have a name.`, path);
    if (call.id !== '') return call;
    this.#made += 1;
    const id = `call_unnamed_${this.#made}`;
    this.#unanswered.push(id);
    return { ...call, id };
  }

  result(result: ToolResultPart, draft: RequestReadContext): readonly ToolResultPart[] {
    if (result.id !== '') return [result];
    const id = this.#unanswered[this.#answered];
    if (id !== undefined) {
      this.#answered += 1;
      return [{ ...result, id }];
    }
    draft.reportDropped('tool_result.orphan');
    return [];
  }
}

/** Returns whether the request contains a system prompt or a turn that is not from the user. */
export function hasConversationHistory(
  turns: readonly ConversationTurn[],
  system: readonly ContentPart[],
): boolean {
  return system.length > 0 || turns.some(({ role }) => role !== 'user');
}

/**
 * Returns the number of system turns before the first turn with another role. These turns become the system
 * prompt. Later system turns keep their position.
 */
export function countLeadingSystemTurns(turns: readonly ConversationTurn[]): number {
  const at = turns.findIndex(({ role }) => role !== 'system');
  return at === -1 ? turns.length : at;
}
