import type { JsonObject } from '@floe/contract/json';
import type { BlockEmitter } from '../block-emitter.ts';
import { JsonEndFinder } from '../json-end-finder.ts';
import { asNumber, asObject, asString, isJsonObject, tryParseJson } from '../json-narrowing.ts';
import { generateCallId } from '../tool-identifiers.ts';

interface PartialToolCall {
  /** Position in the order of the calls. */
  readonly position: number;
  readonly index: number | undefined;
  id: string;
  name: string;
  freeform: boolean;
  text: string;
  block: number | undefined;
  closed: boolean;
  /** Once the call is open, this is the `JsonEndFinder` of its block, if its arguments are JSON. */
  end: JsonEndFinder;
  /** Whether the text is JSON. Undefined until it has ended. */
  isJson: boolean | undefined;
}

/** An entry of `tool_calls`. Absent texts are empty. */
interface CallFragment {
  readonly index: number | undefined;
  readonly place: number;
  readonly id: string;
  readonly name: string;
  readonly piece: string;
}

/**
 * Assembles tool calls from their fragments. Providers identify a call by index, by id, by position
 * or not at all. A call opens when its id is known and its arguments or another block start, because
 * its name may arrive in several fragments until then. It closes when its arguments are complete and
 * another block starts, so parallel calls are streamed one after another.
 */
export class ToolCallAssembler {
  readonly #blocks: BlockEmitter;
  readonly #exchange: string;
  readonly #calls: PartialToolCall[] = [];
  readonly #byIndex = new Map<number, PartialToolCall>();
  readonly #byId = new Map<string, PartialToolCall>();
  /** Calls with a name and an id that have not been opened. */
  readonly #openable = new Set<PartialToolCall>();
  /** Open calls whose arguments have ended since they were last examined. */
  readonly #closable = new Set<PartialToolCall>();

  constructor(blocks: BlockEmitter, exchange: string) {
    this.#blocks = blocks;
    this.#exchange = exchange;
  }

  /** Number of calls so far, including those without a name. */
  get callCount(): number {
    return this.#calls.length;
  }

  /** Adds an entry of `tool_calls`. `place` is its position in the list. */
  add(entry: JsonObject, place: number): void {
    const custom = asObject(entry['custom']);
    const inner = custom ?? asObject(entry['function']) ?? {};
    const id = asString(entry['id']) ?? '';
    const name = asString(inner['name']) ?? '';
    const given = inner['arguments'] ?? inner['input'] ?? inner['parameters'];
    const piece = isJsonObject(given) ? JSON.stringify(given) : (asString(given) ?? '');
    const fragment = { index: asNumber(entry['index']), place, id, name, piece };
    const call = this.#find(fragment);
    if (isRepetition(call, fragment) && isCompleteCall(call)) return;
    if (call.id === '' && id !== '') {
      call.id = id;
      this.#byId.set(id, call);
    }
    this.#extendName(call, name);
    if (custom !== undefined || entry['type'] === 'custom') call.freeform = true;
    if (call.closed) {
      if (piece.trim() !== '') this.#blocks.reportDropped('tool_calls.arguments');
      return;
    }
    call.text += piece;
    if (call.block === undefined || this.#blocks.textEnd(call.block) !== call.end) call.end.push(piece);
    if (call.block === undefined) this.#openIfReady(call);
    else {
      this.#blocks.delta(call.block, piece);
      if (call.end.isReached) this.#closable.add(call);
    }
  }

  /** Opens calls without arguments and closes calls with complete arguments, because another block starts. */
  closeCompleteCalls(): void {
    if (this.#openable.size > 0)
      for (const call of [...this.#openable].sort((a, b) => a.position - b.position)) this.#open(call);
    const closable = [...this.#closable];
    this.#closable.clear();
    for (const call of closable) if (!call.freeform && isCompleteCall(call)) this.#close(call);
  }

  /** Ends the response. Every call with a name is complete. */
  finish(): void {
    for (const call of this.#calls) {
      if (call.block === undefined && call.name !== '') this.#open(call);
      if (call.block === undefined) this.#blocks.reportLostContent('tool_calls.nameless');
      else if (!call.closed) this.#close(call);
    }
  }

  #openIfReady(call: PartialToolCall): void {
    if (call.name === '') return;
    if (call.text !== '' && (call.id !== '' || isCompleteCall(call))) this.#open(call);
    else if (call.id !== '') this.#openable.add(call);
  }

  /** Appends to the name. A text that starts with the name so far is the name again and not its next part. */
  #extendName(call: PartialToolCall, name: string): void {
    const whole = name.startsWith(call.name) ? name : call.name + name;
    if (name === '' || whole === call.name) return;
    if (call.block === undefined) call.name = whole;
    else this.#blocks.reportDropped('tool_calls.name');
  }

  #find(fragment: CallFragment): PartialToolCall {
    const { index, id, name } = fragment;
    const at = index ?? fragment.place;
    const here = this.#byIndex.get(at);
    const isOther = id !== '' && here !== undefined && here.id !== '';
    const known = this.#byId.get(id) ?? (isOther ? undefined : here);
    if (known !== undefined && !startsAnotherCall(known, fragment)) return known;
    this.closeCompleteCalls();
    // The client returns results by id, so two calls must not share one.
    const own = this.#byId.has(id) ? generateCallId(this.#exchange, this.#calls.length) : id;
    const call: PartialToolCall = {
      position: this.#calls.length,
      index,
      id: own,
      name,
      freeform: false,
      text: '',
      block: undefined,
      closed: false,
      end: new JsonEndFinder(),
      isJson: undefined,
    };
    this.#calls.push(call);
    if (id !== '') this.#byId.set(id, call);
    this.#byIndex.set(at, call);
    return call;
  }

  #open(call: PartialToolCall): void {
    this.#blocks.closeText();
    if (call.id === '') call.id = generateCallId(this.#exchange, call.position);
    call.block = this.#blocks.open('tool', call.id, call.name, call.freeform ? true : undefined);
    call.end = this.#blocks.textEnd(call.block) ?? call.end;
    this.#openable.delete(call);
    this.#blocks.delta(call.block, call.text);
    if (call.end.isReached) this.#closable.add(call);
  }

  #close(call: PartialToolCall): void {
    call.closed = true;
    this.#closable.delete(call);
    if (call.block !== undefined) this.#blocks.close(call.block);
  }
}

/**
 * Returns whether the fragment cannot belong to the call at its index or with its id: it has an id and
 * another name, which cannot be the next part of the name, or it names a function although the
 * arguments are already complete.
 */
function startsAnotherCall(call: PartialToolCall, fragment: CallFragment): boolean {
  const { index, id, name, piece } = fragment;
  if (name === '') return false;
  const mayExtendName = index !== undefined && index === call.index && call.text === '';
  if (id !== '' && call.name !== '' && name !== call.name && !mayExtendName) return true;
  const isWhole = /^\s*[[{]/.test(piece) && !isRepetition(call, fragment);
  return (isWhole || (id === '' && index === undefined)) && isCompleteCall(call);
}

/** Some providers send a complete call again in their last chunk. */
function isRepetition(call: PartialToolCall, { id, name, piece }: CallFragment): boolean {
  return id !== '' && name === call.name && piece === call.text && piece !== '';
}

function isCompleteCall(call: PartialToolCall): boolean {
  if (!call.end.isReached) return false;
  call.isJson ??= tryParseJson(call.text) !== undefined;
  return call.isJson;
}
