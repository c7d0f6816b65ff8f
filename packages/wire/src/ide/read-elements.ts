import type { Json } from '@floe/contract/json';
import { type AskDraft, invalid } from '../ask-draft.ts';
import { readMessage } from '../chat/read-ask.ts';
import { isObject, parseJson, textOf } from '../json-read.ts';
import { readParts } from '../read-parts.ts';
import type { CallPart, MediaPart, Part, ResultPart, Tool, Turn } from '../request.ts';
import { readItem } from '../responses/read-ask.ts';
import type { Source } from './source.ts';

const MIME = /^[\w.+-]+\/[\w.+;=-]+$/;
const DETAILS = new Set(['low', 'high', 'auto']);

/** Reads every element of a conversation by its own form: message, item, or bare content part. */
export function readElements({ member, elements }: Source, tools: readonly Tool[], draft: AskDraft): Turn[] {
  const freeform = new Set(tools.filter((tool) => tool.kind === 'freeform').map((tool) => tool.name));
  const calls = new Calls(freeform);
  return elements.flatMap((element, index) => {
    const path = `${member}[${index}]`;
    const turn = readElement(element, freeform, path, draft);
    const parts = turn.parts
      .flatMap((part) => keep(part, calls, path, draft))
      .flatMap((part) => sayable(part, turn.role, draft));
    return parts.length === 0 ? [] : splitByRole(turn.role, parts);
  });
}

/** Only an assistant refuses, and no dialect lets one show a picture. */
function sayable(part: Part, role: Turn['role'], draft: AskDraft): readonly Part[] {
  if (part.type === 'refusal' && role !== 'assistant') return [{ type: 'text', text: part.text }];
  if (part.type !== 'media' || role !== 'assistant') return [part];
  draft.drop(`assistant.${part.kind}`);
  return [];
}

function readElement(
  element: Json,
  freeform: ReadonlySet<string>,
  path: string,
  draft: AskDraft,
): { readonly role: Turn['role']; readonly parts: readonly Part[] } {
  if (!isObject(element)) return { role: 'user', parts: readParts(element, path, draft) };
  const type = textOf(element['type']);
  const isMessage = 'role' in element && (type === undefined || type === 'message' || 'content' in element);
  if (isMessage) return readMessage(element, freeform, path, draft);
  if (type === 'message') throw invalid(`\`${path}.role\` is required.`, `${path}.role`);
  return readItem(element, path, draft);
}

/**
 * Calls belong to the assistant and results to the user, whoever's element they came in: some IDEs put
 * bare blocks between messages.
 */
function splitByRole(role: Turn['role'], parts: readonly Part[]): Turn[] {
  const turns: { role: Turn['role']; parts: Part[] }[] = [];
  for (const part of parts) {
    const own = part.type === 'call' ? 'assistant' : part.type === 'result' ? 'user' : role;
    const last = turns.at(-1);
    if (last?.role === own) last.parts.push(part);
    else turns.push({ role: own, parts: [part] });
  }
  return turns;
}

/** The part as it goes on, or nothing: white space says nothing, and reasoning has no proof that holds. */
function keep(part: Part, calls: Calls, path: string, draft: AskDraft): readonly Part[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text.trim() === '' ? [] : [part];
    case 'reasoning':
      draft.drop('reasoning');
      return [];
    case 'media':
      return [readable(part, path, draft)];
    case 'call':
      return [calls.call(part, path)];
    case 'result': {
      const parts = part.parts.map((inner) =>
        inner.type === 'media' ? readable(inner, path, draft) : inner,
      );
      return calls.result({ ...part, parts }, draft);
    }
  }
}

function readable(part: MediaPart, path: string, draft: AskDraft): MediaPart {
  const { source } = part;
  if ('url' in source && source.url.trim() === '') throw invalid(`\`${path}\` holds an empty address.`, path);
  if ('data' in source && !MIME.test(source.mime))
    throw invalid(`\`${path}\` has no media type such as image/png.`, path);
  if (part.kind === 'file' && 'data' in source && source.mime.startsWith('image/')) {
    draft.need('image', path);
    return { ...part, kind: 'image' };
  }
  return part.detail === undefined || DETAILS.has(part.detail) ? part : { ...part, detail: undefined };
}

/** A call of a freeform tool carries raw text, also where the history wraps it as a function call. */
function declared(call: CallPart, freeform: ReadonlySet<string>): CallPart {
  if (call.freeform || !freeform.has(call.name)) return call;
  const parsed = parseJson(call.input);
  const wrapped = isObject(parsed) && Object.keys(parsed).length === 1 ? textOf(parsed['input']) : undefined;
  return { ...call, input: wrapped ?? call.input, freeform: true };
}

/** Reads calls as their tools were declared; one without an id gets a name, which the next result without one takes. */
class Calls {
  readonly #freeform: ReadonlySet<string>;
  #made = 0;
  #unanswered: string[] = [];
  #answered = 0;

  constructor(freeform: ReadonlySet<string>) {
    this.#freeform = freeform;
  }

  call(made: CallPart, path: string): CallPart {
    const call = declared(made, this.#freeform);
    if (call.name === '') throw invalid(`\`${path}\` holds a tool call without a name.`, path);
    if (call.id !== '') return call;
    this.#made += 1;
    const id = `call_unnamed_${this.#made}`;
    this.#unanswered.push(id);
    return { ...call, id };
  }

  result(result: ResultPart, draft: AskDraft): readonly ResultPart[] {
    if (result.id !== '') return [result];
    const id = this.#unanswered[this.#answered];
    if (id !== undefined) {
      this.#answered += 1;
      return [{ ...result, id }];
    }
    draft.drop('tool_result.orphan');
    return [];
  }
}

/** True when the elements tell a whole conversation and not only its newest message. */
export function tellsHistory(turns: readonly Turn[], system: readonly Part[]): boolean {
  return system.length > 0 || turns.some(({ role }) => role !== 'user');
}

/** System text before the first turn is the system prompt; later it keeps its place. */
export function leadingSystem(turns: readonly Turn[]): number {
  const at = turns.findIndex(({ role }) => role !== 'system');
  return at === -1 ? turns.length : at;
}
