import type { Json, JsonObject } from '@floe/contract/json';
import type { CanonicalResponse } from '../canonical-response.ts';
import type { ResponseStreamReader } from '../dialect.ts';
import { asArray, asNumber, isObject, tryParseJson } from '../json-narrowing.ts';
import type { EmitResponseEvent } from '../response-events.ts';
import type { SseEvent } from '../sse.ts';

/** All choices above this number share one reader, so that a provider cannot use unbounded memory. */
const MAX_READERS = 1024;
/** Distance between the block indexes of two choices. A choice has fewer blocks. */
const BLOCKS_PER_CHOICE = 2 ** 32;

/**
 * Reads the chunks of all choices (`n`). Emits the blocks of every choice, and everything else only for the
 * first choice.
 */
export class AllChoicesReader implements ResponseStreamReader {
  readonly #emit: EmitResponseEvent;
  readonly #createReader: (emit: EmitResponseEvent) => ResponseStreamReader;
  readonly #first: ResponseStreamReader;
  readonly #others = new Map<number, ResponseStreamReader>();

  constructor(emit: EmitResponseEvent, createReader: (emit: EmitResponseEvent) => ResponseStreamReader) {
    this.#emit = emit;
    this.#createReader = createReader;
    this.#first = createReader(emit);
  }

  read(frame: SseEvent): void {
    const chunk = tryParseJson(frame.data);
    if (!isObject(chunk) || hasOnlyFirstChoice(chunk)) return this.#first.read(frame);
    for (const { index, body } of splitChoices(chunk))
      this.#readerOf(index).read({ ...frame, data: JSON.stringify(body) });
  }

  end(): void {
    for (const reader of this.#others.values()) reader.end();
    this.#first.end();
  }

  #readerOf(index: number): ResponseStreamReader {
    if (index === 0) return this.#first;
    const known = this.#others.get(index);
    if (known) return known;
    if (this.#others.size >= MAX_READERS) return [...this.#others.values()].at(-1) ?? this.#first;
    const offset = (this.#others.size + 1) * BLOCKS_PER_CHOICE;
    const reader = this.#createReader((event) => {
      if (event.type === 'open' || event.type === 'delta' || event.type === 'close')
        this.#emit({ ...event, block: offset + event.block });
    });
    this.#others.set(index, reader);
    return reader;
  }
}

/** Returns the response with the blocks of all its choices. */
export function readAllChoices(
  body: Json,
  readResponse: (body: Json) => CanonicalResponse,
): CanonicalResponse {
  const response = readResponse(body);
  if (!isObject(body) || hasOnlyFirstChoice(body)) return response;
  return { ...response, blocks: splitChoices(body).flatMap((choice) => readResponse(choice.body).blocks) };
}

function hasOnlyFirstChoice({ choices }: JsonObject): boolean {
  const list = asArray(choices);
  return list.length === 0 || (list.length === 1 && indexOf(list[0]) === 0);
}

function indexOf(choice: Json | undefined): number {
  return (isObject(choice) ? asNumber(choice['index']) : undefined) ?? 0;
}

/** Returns one body for each choice, in which this choice is the first. */
function splitChoices(body: JsonObject): { readonly index: number; readonly body: JsonObject }[] {
  return asArray(body['choices']).map((choice) => ({
    index: indexOf(choice),
    body: { ...body, choices: [isObject(choice) ? { ...choice, index: 0 } : choice] },
  }));
}
