import type { JsonObject } from '@floe/contract/json';
import { applyByteEdits, createJsonMemberEdit, scanJsonObject } from '@floe/wire/json-edits';
import type { Clock } from '../../core/clock.ts';
import { type InputComposition, measureInput } from '../../guardrails/token-estimate.ts';
import type { AuthenticatedCaller } from '../caller.ts';
import type { ClientCall } from '../client-call.ts';
import { type ClientRequest, parseClientRequestBody } from '../client-request.ts';
import type { Target } from '../org-catalog.ts';
import type { SharedGatewayDependencies } from '../shared-gateway-dependencies.ts';
import {
  type ConversationItem,
  listConversationItems,
  toCanonicalItem,
  toInputItems,
  toNativeItem,
} from './conversation-items.ts';
import type { StoredTurn } from './turn-store.ts';

/** Maximum time for which the end of a response is held back until its turn is stored. */
const STORE_TIMEOUT_MS = 5_000;

/** The last bytes of a response. They are sent after the turn has been stored. */
export interface PendingResponseEnd {
  /** Sends the end of the response to the client. */
  send(): void;
}

/** Returns the pending end of a JSON response, which is the complete response. */
export function createJsonResponseEnd(
  client: ClientCall,
  headers: readonly string[],
  body: Buffer | string,
): PendingResponseEnd {
  return { send: () => client.sendAnswer(200, headers, body) };
}

interface CompletedAnswer {
  readonly response: JsonObject;
  readonly held: boolean;
  readonly pendingEnd: PendingResponseEnd;
}

/** The fields of an exchange that are needed to store a turn. */
interface TurnContext {
  readonly id: string;
  readonly createdAt: number;
  readonly client: Pick<ClientCall, 'isDisconnected'>;
  readonly caller: Pick<AuthenticatedCaller, 'key'>;
  readonly target: Target | null;
  readonly gateway: Pick<SharedGatewayDependencies, 'clock' | 'log' | 'turns'>;
}

/** A Responses request that continues a stored turn, is stored itself, or both. */
export class ResponsesTurn {
  /** Whether the turn is stored. If it is, the last event of the response is held back until then. */
  readonly isStored: boolean;
  readonly #request: ClientRequest;
  readonly #previousTurn: StoredTurn | null;
  readonly #history: readonly ConversationItem[];
  readonly #references: ReadonlyMap<string, ConversationItem>;
  #completed: CompletedAnswer | null = null;
  #expandedBody: JsonObject | null = null;
  #resolvedInput: InputComposition | null = null;

  constructor(
    prompt: ClientRequest,
    keeps: boolean,
    conversation: readonly StoredTurn[],
    references: ReadonlyMap<string, ConversationItem>,
  ) {
    this.#request = prompt;
    this.isStored = keeps;
    this.#previousTurn = conversation.at(-1) ?? null;
    this.#history = listConversationItems(conversation);
    this.#references = references;
  }

  /** Returns the request with its whole conversation, as input for the canonical request. */
  expandedBody(): JsonObject {
    if (this.#expandedBody) return this.#expandedBody;
    const { previous_response_id, ...body } = parseClientRequestBody(this.#request);
    const own = toInputItems(body['input']).map((item) => {
      const meant = this.#resolveItem(item);
      return meant.item === item ? item : toCanonicalItem(meant);
    });
    const input = [...this.#history.map(toCanonicalItem), ...own];
    // An id that could not be resolved remains in the body, so that a translation rejects it.
    const rest = this.#previousTurn === null ? { ...body, previous_response_id } : body;
    this.#expandedBody =
      this.#previousTurn === null && this.#references.size === 0 ? rest : { ...rest, input };
    return this.#expandedBody;
  }

  /**
   * Measures the input that the request's body does not contain: the earlier turns and the items that the body
   * references.
   */
  get resolvedInput(): InputComposition {
    if (this.#resolvedInput) return this.#resolvedInput;
    // A compaction replaces the conversation before it, so the provider does not bill that part.
    const compaction = this.#history.findLastIndex(({ item }) => item['type'] === 'compaction');
    const billed = this.#history.slice(Math.max(0, compaction));
    this.#resolvedInput = measureItems([...billed, ...this.#listReferencedItems()]);
    return this.#resolvedInput;
  }

  /** Returns the items that the request references, each as often as the request references it. */
  #listReferencedItems(): ConversationItem[] {
    if (this.#references.size === 0) return [];
    return toInputItems(parseClientRequestBody(this.#request)['input']).flatMap((item) => {
      const meant = this.#resolveItem(item);
      return meant.item === item ? [] : [meant];
    });
  }

  /**
   * Returns the request for a target of the Responses dialect. If the target knows everything that the
   * request refers to, these are the client's own bytes.
   */
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
    const own = toInputItems(parseClientRequestBody(this.#request)['input']).flatMap((item) => {
      const meant = this.#resolveItem(item);
      return meant.item === item || isStoredAt(origin, meant) ? [item] : native(meant);
    });
    return { ...this.#spliceInput([...history, ...own], knows), dropped: [...lost] };
  }

  /** Returns the client's `previous_response_id` if the target does not know it; otherwise null. */
  previousIdUnknownTo({ provider, credential }: Target): string | null {
    const previous = this.#previousTurn;
    if (previous === null || isStoredAt(provider.sealOrigin(credential), previous)) return null;
    return String(previous.response['id']);
  }

  /** Returns the client's bytes with another input. */
  #spliceInput(input: readonly JsonObject[], knows: boolean): ClientRequest {
    const { body } = this.#request;
    const edits = [createJsonMemberEdit(this.#request, 'input', JSON.stringify(input))];
    if (!knows) edits.push(createJsonMemberEdit(this.#request, 'previous_response_id', 'null'));
    edits.sort((a, b) => a.start - b.start);
    const spliced = applyByteEdits(body, edits);
    return { ...this.#request, body: spliced, members: scanJsonObject(spliced) };
  }

  /** Resolves an item reference. Returns any other item unchanged. */
  #resolveItem(item: JsonObject): ConversationItem {
    const found = item['type'] === 'item_reference' ? this.#references.get(String(item['id'])) : undefined;
    return found ?? { item, origin: '', held: false };
  }

  /** Sets the complete response. `commit` sends its end. */
  end(response: JsonObject, held: boolean, pendingEnd: PendingResponseEnd): void {
    this.#completed = { response, held, pendingEnd };
  }

  /** Stores the turn, and then sends the end of the response. */
  async commit(x: TurnContext): Promise<void> {
    const ended = this.#completed;
    if (ended === null) return;
    try {
      const kept = this.#storeTurn(x, ended);
      kept.catch(() => undefined);
      await withStoreTimeout(kept, x.gateway.clock);
    } catch (error) {
      // The response is valid and has been charged, so the client receives it even if it cannot be stored.
      logUnstoredResponse(x, error);
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
      held: held && target.provider.definition.storesResponses === true,
      model: this.#request.model,
      input: toInputItems(parseClientRequestBody(this.#request)['input']).map(
        (item) => this.#resolveItem(item).item,
      ),
      response,
    });
  }
}

/** Logs that a response is not stored. The reason is `error`; if it is absent, the response is too large. */
export function logUnstoredResponse(
  { id, gateway }: Pick<TurnContext, 'id' | 'gateway'>,
  error?: unknown,
): void {
  gateway.log.warn(
    { err: error, request_id: id },
    'response could not be stored; requests cannot continue it with previous_response_id',
  );
}

/** Adds a timeout, because a slow database must not delay a response indefinitely. */
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

/** Measures items as JSON. An item that occurs repeatedly is converted only once, so that the cost is bounded. */
function measureItems(items: readonly ConversationItem[]): InputComposition {
  const occurrences = new Map<JsonObject, number>();
  for (const { item } of items) occurrences.set(item, (occurrences.get(item) ?? 0) + 1);
  const sum = { textBytes: 0, images: 0, pages: 0 };
  for (const [item, count] of occurrences) {
    const { textBytes, images, pages } = measureInput(Buffer.from(JSON.stringify(item)));
    sum.textBytes += textBytes * count;
    sum.images += images * count;
    sum.pages += pages * count;
  }
  return sum;
}
