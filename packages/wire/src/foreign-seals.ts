import { Buffer } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import {
  applyByteEdits,
  type ByteEdit,
  type ByteSpan,
  readStringAt,
  type ScannedJsonBody,
} from './json-edits.ts';
import { createMemberRemovals, JsonItemRemover, scanElementsAt } from './json-item-remover.ts';
import { JsonMemberNameLookup } from './json-member-name-lookup.ts';
import { sanitizeFieldName } from './json-narrowing.ts';
import { scanObjectAt } from './nested-members.ts';
import { isPackedSeal, PACKED_SEAL_PREFIX, unpackSeal } from './seal.ts';
import { createThinkingRemovals } from './thinking-removals.ts';

/** The target of a request with seals of earlier responses. */
export interface SealTarget {
  /** The dialect of the client and of the target. */
  readonly dialect: 'chat' | 'responses' | 'messages';
  /** The provider and credential of the target. Empty if the target accepts no seals. */
  readonly origin: string;
  /** The provider and credential that created the seals that do not contain their origin, if it is known. */
  readonly usualOrigin: string | undefined;
}

/** A body without the reasoning that its target cannot verify, and the names of what was removed. */
export interface BodyWithoutForeignSeals {
  readonly body: Buffer;
  /** What was removed: `reasoning.seal`, and the paths of the removed parts. */
  readonly dropped: readonly string[];
}

/** The members of a reasoning part that contain its seal. */
const SEAL_MEMBER_BY_TYPE: Readonly<Record<string, string>> = {
  thinking: 'signature',
  redacted_thinking: 'data',
};
const REASONING_DETAILS = new JsonMemberNameLookup(['reasoning_details']);
/** The members of a Chat message that are sufficient without content. */
const CONTENT_ALTERNATIVES = ['tool_calls', 'function_call', 'refusal', 'audio'] as const;
/** The start of a packed seal in JSON. */
const PACKED_SEAL_START = Buffer.from(`"${PACKED_SEAL_PREFIX}`);
const SIGNATURE = Buffer.from('"signature"');
/** Every body that may need changes contains at least one of these texts. `\u` starts an escaped character. */
const SEAL_MARKS = ['thinking', 'encrypted_content', 'reasoning_details', '"reasoning"', '\\u'];

/**
 * Removes the reasoning whose seal the target did not create, and reasoning without the seal that
 * Messages requires. A message that has no other content is also removed, because APIs reject messages
 * without content. If a tool loop of Messages has no reasoning left, the thinking budget is removed. Decodes
 * the packed seals of the target. Does not change any other bytes.
 * @throws Fault `unsupported_parameter` if the conversation consists only of such reasoning, or if an item other
 * than reasoning, such as a compaction, can be read only by another target
 * @example
 * const block = '{"type":"thinking","thinking":"T","signature":"S"},';
 * const body = Buffer.from(`{"messages":[{"role":"assistant","content":[${block}{"type":"text","text":"A"}]}]}`);
 * const target = { dialect: 'messages', origin: 'globex', usualOrigin: 'acme' };
 * const scanned = { body, members: scanJsonObject(body) };
 * removeForeignSeals(scanned, target).body.toString(); // '{"messages":[{"role":"assistant","content":[{"type":"text","text":"A"}]}]}'
 */
export function removeForeignSeals(
  { body, members }: ScannedJsonBody & { readonly body: Buffer },
  target: SealTarget,
): BodyWithoutForeignSeals {
  if (!mayContainSeals(body)) return { body, dropped: [] };
  const name = target.dialect === 'responses' ? 'input' : 'messages';
  const span = members.get(name);
  const items = span && scanElementsAt(body, span);
  if (!items) return { body, dropped: [] };
  const editor = new SealEditor(body, target);
  if (editor.editConversation(items) === 'empty')
    throw new Fault(
      'unsupported_parameter',
      `\`${name}\` contains only reasoning that another provider or credential signed or encrypted. Add a message with other content.`,
      { param: name },
    );
  if (editor.edits.length === 0) return { body, dropped: [] };
  const thinking = editor.requiresNoThinking ? createThinkingRemovals({ body, members }) : undefined;
  const edits = [...editor.edits, ...(thinking?.edits ?? [])].sort((a, b) => a.start - b.start);
  return { body: applyByteEdits(body, edits), dropped: [...editor.dropped, ...(thinking?.dropped ?? [])] };
}

/** Returns whether a body may contain seals. The search is much faster than a scan of the body. */
function mayContainSeals(body: Buffer): boolean {
  return SEAL_MARKS.some((mark) => body.includes(mark));
}

/**
 * Returns whether a body may contain seals that Floe wrote and that no provider accepts: packed seals (`floe1.…`) and
 * empty signatures. Returns false for Chat, because Floe sends no such seals to Chat clients. The search is much
 * faster than a scan of the body.
 * @example
 * mayContainFloeSeals('messages', Buffer.from('{"signature":""}')); // true
 */
export function mayContainFloeSeals(dialect: SealTarget['dialect'], body: Buffer): boolean {
  return dialect !== 'chat' && (body.includes(PACKED_SEAL_START) || hasEmptySignature(body));
}

/** Returns whether a member `"signature"` is an empty string, with any white space that JSON permits. */
function hasEmptySignature(body: Buffer): boolean {
  for (let at = body.indexOf(SIGNATURE); at !== -1; at = body.indexOf(SIGNATURE, at)) {
    at = skipWhitespace(body, at + SIGNATURE.length);
    if (body[at] !== 0x3a) continue;
    at = skipWhitespace(body, at + 1);
    if (body[at] === 0x22 && body[at + 1] === 0x22) return true;
  }
  return false;
}

function skipWhitespace(body: Buffer, from: number): number {
  let at = from;
  while (body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) at += 1;
  return at;
}

/** Such an item cannot be removed: without a compaction, the model would not know the earlier conversation. */
function createUnreadableItemFault(type: string): Fault {
  return new Fault(
    'unsupported_parameter',
    `\`input\` contains an item of the type "${sanitizeFieldName(type)}" that another provider or credential encrypted. Use the model that created it, or send the conversation without it.`,
    { param: 'input' },
  );
}

/** What is left of an array, or whether an item is left. */
type Remainder = 'empty' | 'some';

class SealEditor {
  /** In the order of the body. */
  readonly edits: ByteEdit[] = [];
  readonly dropped = new Set<string>();
  readonly #body: Buffer;
  readonly #target: SealTarget;
  /** What the edits leave of the last assistant turn so far: consecutive messages. */
  #lastTurn = { hasCall: false, hasReasoning: false };
  #endsWithTurn = false;

  constructor(body: Buffer, target: SealTarget) {
    this.#body = body;
    this.#target = target;
  }

  editConversation(items: readonly ByteSpan[]): Remainder {
    return this.#editArray(items, (item) => this.#editItem(item));
  }

  /**
   * Whether the removal makes a thinking budget invalid: with one, Messages requires signed reasoning in an
   * assistant turn that the model continues. Adaptive thinking does not require it. The turn can also be the
   * response to an earlier request without the budget.
   */
  get requiresNoThinking(): boolean {
    const { hasCall, hasReasoning } = this.#lastTurn;
    const isContinued = hasCall || this.#endsWithTurn;
    return this.#target.dialect === 'messages' && this.dropped.size > 0 && isContinued && !hasReasoning;
  }

  /**
   * Removes the elements of an array for which `edit` returns `empty`. An array that was empty before counts
   * as unchanged.
   */
  #editArray(elements: readonly ByteSpan[], edit: (element: ByteSpan) => Remainder): Remainder {
    const remover = new JsonItemRemover(this.edits);
    for (const element of elements) {
      const before = this.edits.length;
      const left = edit(element);
      const inner = this.edits.splice(before);
      if (left === 'empty') remover.remove(element.start, element.end);
      else {
        // This may add the removal of preceding elements.
        remover.retain(element.start, element.end);
        for (const one of inner) this.edits.push(one);
      }
    }
    remover.finish();
    return remover.hasRetained || elements.length === 0 ? 'some' : 'empty';
  }

  /** Edits a message, or an item of Responses input. */
  #editItem(item: ByteSpan): Remainder {
    const members = scanObjectAt(this.#body, item);
    if (!members) return 'some';
    const { dialect } = this.#target;
    const type = this.#stringOf(members, 'type') || 'message';
    if (dialect === 'responses' && this.#isForeignItem(type, members)) {
      if (type !== 'reasoning') throw createUnreadableItemFault(type);
      return this.#drop('input.reasoning');
    }
    const isAssistant = this.#stringOf(members, 'role') === 'assistant';
    if (isAssistant && !this.#endsWithTurn) this.#lastTurn = { hasCall: false, hasReasoning: false };
    this.#endsWithTurn = isAssistant;
    const content = members.get('content');
    const parts = content && scanElementsAt(this.#body, content);
    const before = this.edits.length;
    const left = parts ? this.#editArray(parts, (part) => this.#editPart(part)) : 'some';
    if (dialect !== 'chat') return left;
    // A message with only a call, a refusal or audio has no content.
    if (left === 'empty' && !CONTENT_ALTERNATIVES.some((name) => this.#hasValue(members.get(name))))
      return left;
    if (left === 'empty' && content) this.edits.splice(before, Infinity, { ...content, text: 'null' });
    const details = members.has('reasoning_details') ? this.#reasoningDetailsRemovals(item) : [];
    const own = [...this.edits.splice(before), ...details];
    for (const one of own.sort((a, b) => a.start - b.start)) this.edits.push(one);
    return 'some';
  }

  /** Returns whether an item of Responses input refers to reasoning that only another target can read. */
  #isForeignItem(type: string, members: ReadonlyMap<string, ByteSpan>): boolean {
    const sealed = this.#checkSeal(members.get('encrypted_content'));
    if (sealed === 'foreign' || sealed === 'accepted') return sealed === 'foreign';
    if (type !== 'reasoning' || !this.#requiresSeal) return false;
    // Without a seal and its text, only the provider that created the reasoning finds it, by its id.
    return this.#hasValue(members.get('id')) && !this.#hasValue(members.get('content'));
  }

  #editPart(part: ByteSpan): Remainder {
    const members = scanObjectAt(this.#body, part);
    const type = (members && this.#stringOf(members, 'type')) ?? '';
    const sealMember = Object.hasOwn(SEAL_MEMBER_BY_TYPE, type) ? SEAL_MEMBER_BY_TYPE[type] : undefined;
    if (type === 'tool_use') this.#lastTurn.hasCall = true;
    if (!members || sealMember === undefined) return 'some';
    const sealed = this.#checkSeal(members.get(sealMember));
    const isRejected = sealed === 'foreign' || (sealed === 'absent' && this.#requiresSeal);
    const list = this.#target.dialect === 'responses' ? 'input' : 'messages';
    if (isRejected || sealed === 'empty') return this.#drop(`${list}.content.${type}`);
    this.#lastTurn.hasReasoning = true;
    return 'some';
  }

  /** Whether the target rejects reasoning without a seal. The usual target receives what the client sent. */
  get #requiresSeal(): boolean {
    const { dialect, origin, usualOrigin } = this.#target;
    return dialect !== 'chat' && origin !== usualOrigin;
  }

  /** Floe writes an empty seal if the reasoning that it translated had none. */
  #checkSeal(span: ByteSpan | undefined): 'accepted' | 'foreign' | 'absent' | 'empty' {
    const value = span && readStringAt(this.#body, span);
    if (span === undefined || value === undefined) return 'absent';
    if (value === '') return 'empty';
    const { dialect, origin, usualOrigin } = this.#target;
    const seal = unpackSeal(value, dialect);
    if (seal.dialect !== dialect || (seal.origin ?? usualOrigin) !== origin) {
      this.dropped.add('reasoning.seal');
      return 'foreign';
    }
    if (isPackedSeal(value)) this.edits.push({ ...span, text: JSON.stringify(seal.value) });
    return 'accepted';
  }

  /** Returns the edits that remove the reasoning of a Chat message. Its entries are valid only together. */
  #reasoningDetailsRemovals(message: ByteSpan): readonly ByteEdit[] {
    if (this.#target.origin === this.#target.usualOrigin) return [];
    const hasEntries = (value: ByteSpan) => (scanElementsAt(this.#body, value) ?? []).length > 0;
    const removals = createMemberRemovals(this.#body, message, REASONING_DETAILS, hasEntries);
    if (removals.length > 0) this.dropped.add('reasoning.seal').add('messages.reasoning_details');
    return removals;
  }

  /** Returns whether a member is present and not empty. SDKs write members without a value as `null`. */
  #hasValue(span: ByteSpan | undefined): boolean {
    return (
      span !== undefined && !/^(null|""|\[\s*\])$/.test(this.#body.toString('utf8', span.start, span.end))
    );
  }

  #drop(path: string): 'empty' {
    this.dropped.add(path);
    return 'empty';
  }

  #stringOf(members: ReadonlyMap<string, ByteSpan>, name: string): string | undefined {
    const span = members.get(name);
    return span && readStringAt(this.#body, span);
  }
}
