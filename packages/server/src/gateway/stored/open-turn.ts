import type { JsonObject } from '@floe/contract/json';
import { memberEdit, scanObject, splice } from '@floe/wire/splice';
import type { Clock } from '../../core/clock.ts';
import { type Ask, parseBody } from '../ask.ts';
import type { Caller } from '../caller.ts';
import type { Target } from '../catalog.ts';
import type { Client } from '../client.ts';
import type { Gateway } from '../gateway.ts';
import { historyOf, itemsOf, nativeItem, packedItem, type ReplayItem } from './replay.ts';
import type { Turn } from './turn-store.ts';

/** How long the end of an answer waits for its turn to be stored. */
const KEEP_MS = 5_000;

/** What is withheld until the turn is committed. */
export interface Ending {
  /** Tells the client the end of its answer. */
  tell(): void;
}

/** An answer in one body, told whole. */
export function endingWith(client: Client, headers: readonly string[], body: Buffer | string): Ending {
  return { tell: () => client.answer(200, headers, body) };
}

interface Ended {
  readonly response: JsonObject;
  readonly held: boolean;
  readonly ending: Ending;
}

/** What a turn is stored with. */
interface Answered {
  readonly id: string;
  readonly createdAt: number;
  readonly client: Pick<Client, 'gone'>;
  readonly caller: Pick<Caller, 'key'>;
  readonly target: Target | null;
  readonly gateway: Pick<Gateway, 'clock' | 'log' | 'turns'>;
}

/** A Responses request that goes on from a stored turn, is to be stored itself, or both. */
export class OpenTurn {
  /** The answer is to be stored: its last event waits for that. */
  readonly keeps: boolean;
  readonly #ask: Ask;
  readonly #previous: Turn | null;
  readonly #history: readonly ReplayItem[];
  readonly #references: ReadonlyMap<string, ReplayItem>;
  #ended: Ended | null = null;
  #whole: JsonObject | null = null;

  constructor(
    ask: Ask,
    keeps: boolean,
    conversation: readonly Turn[],
    references: ReadonlyMap<string, ReplayItem>,
  ) {
    this.#ask = ask;
    this.keeps = keeps;
    this.#previous = conversation.at(-1) ?? null;
    this.#history = historyOf(conversation);
    this.#references = references;
  }

  /** The request with its whole conversation, for a reader of the vocabulary. */
  whole(): JsonObject {
    if (this.#whole) return this.#whole;
    const { previous_response_id, ...body } = parseBody(this.#ask);
    const own = itemsOf(body['input']).map((item) => {
      const meant = this.#resolved(item);
      return meant.item === item ? item : packedItem(meant);
    });
    const input = [...this.#history.map(packedItem), ...own];
    // What belongs to a store nobody read stays in the body, and makes a translation refuse it.
    const rest = this.#previous === null ? { ...body, previous_response_id } : body;
    this.#whole = this.#previous === null && this.#references.size === 0 ? rest : { ...rest, input };
    return this.#whole;
  }

  /** What a target of the Responses dialect is asked: the client's own bytes wherever it knows what they refer to. */
  askFor({ provider, credential }: Target): Ask {
    const origin = provider.sealOrigin(credential);
    const previous = this.#previous;
    const knows = previous === null || isHeldBy(origin, previous);
    if (knows && [...this.#references.values()].every((item) => isHeldBy(origin, item))) return this.#ask;
    const lost = new Set<string>();
    const native = (item: ReplayItem): JsonObject[] => {
      const said = nativeItem(item, origin);
      if (said === undefined) lost.add(String(item.item['type']));
      return said === undefined ? [] : [said];
    };
    const history = knows ? [] : this.#history.flatMap(native);
    const own = itemsOf(parseBody(this.#ask)['input']).flatMap((item) => {
      const meant = this.#resolved(item);
      return meant.item === item || isHeldBy(origin, meant) ? [item] : native(meant);
    });
    return { ...this.#spliced([...history, ...own], knows), lost: [...lost] };
  }

  /** What the client went on from, where the target does not know it and answers without. */
  unknownTo({ provider, credential }: Target): string | null {
    const previous = this.#previous;
    if (previous === null || isHeldBy(provider.sealOrigin(credential), previous)) return null;
    return String(previous.response['id']);
  }

  /** The client's bytes, but for what it goes on from. */
  #spliced(input: readonly JsonObject[], knows: boolean): Ask {
    const { body } = this.#ask;
    const edits = [memberEdit(this.#ask, 'input', JSON.stringify(input))];
    if (!knows) edits.push(memberEdit(this.#ask, 'previous_response_id', 'null'));
    edits.sort((a, b) => a.start - b.start);
    const spliced = splice(body, edits);
    return { ...this.#ask, body: spliced, members: scanObject(spliced) };
  }

  /** What an item reference stands for; any other item as it is. */
  #resolved(item: JsonObject): ReplayItem {
    const found = item['type'] === 'item_reference' ? this.#references.get(String(item['id'])) : undefined;
    return found ?? { item, origin: '', held: false };
  }

  /** The answer is whole; its end is told by `commit`. */
  end(response: JsonObject, held: boolean, ending: Ending): void {
    this.#ended = { response, held, ending };
  }

  /** Stores the turn, then tells the client the end of its answer. */
  async commit(x: Answered): Promise<void> {
    const ended = this.#ended;
    if (ended === null) return;
    try {
      const kept = this.#keep(x, ended);
      kept.catch(() => undefined);
      await withinTime(kept, x.gateway.clock);
    } catch (error) {
      // The answer is paid for and good: losing it as well would help nobody.
      x.gateway.log.warn({ err: error, request_id: x.id }, 'a response could not be stored');
    }
    if (!x.client.gone) ended.ending.tell();
  }

  async #keep(x: Answered, { response, held }: Ended): Promise<void> {
    const {
      caller: { key },
      target,
    } = x;
    if (target === null || typeof response['id'] !== 'string' || response['id'] === '') return;
    await x.gateway.turns.keep({
      id: x.id,
      orgId: key.orgId,
      keyId: key.id,
      previousId: this.#previous?.id ?? null,
      createdAt: x.createdAt,
      origin: target.provider.sealOrigin(target.credential),
      held: held && target.provider.sheet.keepsResponses === true,
      input: itemsOf(parseBody(this.#ask)['input']).map((item) => this.#resolved(item).item),
      response,
    });
  }
}

/** A database that hangs must not keep an answer from its client. */
function withinTime(kept: Promise<void>, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`the store took longer than ${KEEP_MS / 1000} s`));
    const timer = clock.after(KEEP_MS, late);
    kept.then(resolve, reject).finally(() => timer.cancel());
  });
}

function isHeldBy(origin: string, kept: { readonly origin: string; readonly held: boolean }): boolean {
  return kept.held && kept.origin === origin;
}
