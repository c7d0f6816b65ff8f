import type { JsonObject } from '@floe/contract/json';
import { applyByteEdits, editMember, scanObject } from '@floe/wire/json-edits';
import type { Clock } from '../../core/clock.ts';
import type { AuthenticatedCaller } from '../caller.ts';
import type { Target } from '../catalog.ts';
import type { ClientConnection } from '../client.ts';
import { type ClientRequest, parseBody } from '../client-request.ts';
import type { Gateway } from '../gateway.ts';
import {
  type ConversationItem,
  conversationItems,
  packItemSeal,
  toInputItems,
  toNativeItem,
} from './conversation-items.ts';
import type { StoredTurn } from './turn-store.ts';

/** How long the end of an answer waits for its turn to be stored. */
const STORE_TIMEOUT_MS = 5_000;

/** What is withheld until the turn is committed. */
export interface PendingAnswerEnd {
  /** Tells the client the end of its answer. */
  send(): void;
}

/** An answer in one body, told whole. */
export function createJsonAnswerEnd(
  client: ClientConnection,
  headers: readonly string[],
  body: Buffer | string,
): PendingAnswerEnd {
  return { send: () => client.sendAnswer(200, headers, body) };
}

interface CompletedAnswer {
  readonly response: JsonObject;
  readonly held: boolean;
  readonly pendingEnd: PendingAnswerEnd;
}

/** What a turn is stored with. */
interface TurnContext {
  readonly id: string;
  readonly createdAt: number;
  readonly client: Pick<ClientConnection, 'isDisconnected'>;
  readonly caller: Pick<AuthenticatedCaller, 'key'>;
  readonly target: Target | null;
  readonly gateway: Pick<Gateway, 'clock' | 'log' | 'turns'>;
}

/** A Responses request that goes on from a stored turn, is to be stored itself, or both. */
export class ResponsesTurn {
  /** The answer is to be stored: its last event waits for that. */
  readonly isStored: boolean;
  readonly #request: ClientRequest;
  readonly #previousTurn: StoredTurn | null;
  readonly #history: readonly ConversationItem[];
  readonly #references: ReadonlyMap<string, ConversationItem>;
  #completed: CompletedAnswer | null = null;
  #expandedBody: JsonObject | null = null;

  constructor(
    prompt: ClientRequest,
    keeps: boolean,
    conversation: readonly StoredTurn[],
    references: ReadonlyMap<string, ConversationItem>,
  ) {
    this.#request = prompt;
    this.isStored = keeps;
    this.#previousTurn = conversation.at(-1) ?? null;
    this.#history = conversationItems(conversation);
    this.#references = references;
  }

  /** The request with its whole conversation, for a reader of the vocabulary. */
  expandedBody(): JsonObject {
    if (this.#expandedBody) return this.#expandedBody;
    const { previous_response_id, ...body } = parseBody(this.#request);
    const own = toInputItems(body['input']).map((item) => {
      const meant = this.#resolveItem(item);
      return meant.item === item ? item : packItemSeal(meant);
    });
    const input = [...this.#history.map(packItemSeal), ...own];
    // What belongs to a store nobody read stays in the body, and makes a translation refuse it.
    const rest = this.#previousTurn === null ? { ...body, previous_response_id } : body;
    this.#expandedBody =
      this.#previousTurn === null && this.#references.size === 0 ? rest : { ...rest, input };
    return this.#expandedBody;
  }

  /** What a target of the Responses dialect is asked: the client's own bytes wherever it knows what they refer to. */
  requestFor({ provider, credential }: Target): ClientRequest {
    const origin = provider.sealOrigin(credential);
    const previous = this.#previousTurn;
    const knows = previous === null || isStoredAt(origin, previous);
    if (knows && [...this.#references.values()].every((item) => isStoredAt(origin, item)))
      return this.#request;
    const lost = new Set<string>();
    const native = (item: ConversationItem): JsonObject[] => {
      const said = toNativeItem(item, origin);
      if (said === undefined) lost.add(String(item.item['type']));
      return said === undefined ? [] : [said];
    };
    const history = knows ? [] : this.#history.flatMap(native);
    const own = toInputItems(parseBody(this.#request)['input']).flatMap((item) => {
      const meant = this.#resolveItem(item);
      return meant.item === item || isStoredAt(origin, meant) ? [item] : native(meant);
    });
    return { ...this.#spliceInput([...history, ...own], knows), unsupportedItems: [...lost] };
  }

  /** What the client went on from, where the target does not know it and answers without. */
  previousIdUnknownTo({ provider, credential }: Target): string | null {
    const previous = this.#previousTurn;
    if (previous === null || isStoredAt(provider.sealOrigin(credential), previous)) return null;
    return String(previous.response['id']);
  }

  /** The client's bytes, but for what it goes on from. */
  #spliceInput(input: readonly JsonObject[], knows: boolean): ClientRequest {
    const { body } = this.#request;
    const edits = [editMember(this.#request, 'input', JSON.stringify(input))];
    if (!knows) edits.push(editMember(this.#request, 'previous_response_id', 'null'));
    edits.sort((a, b) => a.start - b.start);
    const spliced = applyByteEdits(body, edits);
    return { ...this.#request, body: spliced, members: scanObject(spliced) };
  }

  /** What an item reference stands for; any other item as it is. */
  #resolveItem(item: JsonObject): ConversationItem {
    const found = item['type'] === 'item_reference' ? this.#references.get(String(item['id'])) : undefined;
    return found ?? { item, origin: '', held: false };
  }

  /** The answer is whole; its end is told by `commit`. */
  end(response: JsonObject, held: boolean, pendingEnd: PendingAnswerEnd): void {
    this.#completed = { response, held, pendingEnd };
  }

  /** Stores the turn, then tells the client the end of its answer. */
  async commit(x: TurnContext): Promise<void> {
    const ended = this.#completed;
    if (ended === null) return;
    try {
      const kept = this.#storeTurn(x, ended);
      kept.catch(() => undefined);
      await withStoreTimeout(kept, x.gateway.clock);
    } catch (error) {
      // The answer is paid for and good: losing it as well would help nobody.
      x.gateway.log.warn({ err: error, request_id: x.id }, 'response could not be stored');
    }
    if (!x.client.isDisconnected) ended.pendingEnd.send();
  }

  async #storeTurn(x: TurnContext, { response, held }: CompletedAnswer): Promise<void> {
    const {
      caller: { key },
      target,
    } = x;
    if (target === null || typeof response['id'] !== 'string' || response['id'] === '') return;
    await x.gateway.turns.store({
      id: x.id,
      orgId: key.orgId,
      keyId: key.id,
      previousId: this.#previousTurn?.id ?? null,
      createdAt: x.createdAt,
      origin: target.provider.sealOrigin(target.credential),
      held: held && target.provider.sheet.storesResponses === true,
      input: toInputItems(parseBody(this.#request)['input']).map((item) => this.#resolveItem(item).item),
      response,
    });
  }
}

/** A database that hangs must not keep an answer from its client. */
function withStoreTimeout(kept: Promise<void>, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`the database took longer than ${STORE_TIMEOUT_MS / 1000} s`));
    const timer = clock.after(STORE_TIMEOUT_MS, late);
    kept.then(resolve, reject).finally(() => timer.cancel());
  });
}

function isStoredAt(origin: string, kept: { readonly origin: string; readonly held: boolean }): boolean {
  return kept.held && kept.origin === origin;
}
