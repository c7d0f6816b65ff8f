import { Fault } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import type { CanonicalResponse } from '../canonical-response.ts';
import { asArray, asNumber, isJsonObject } from '../json-narrowing.ts';
import type { EmitResponseEvent } from '../response-events.ts';

/** Maximum number of choices in a stream, because a stream has no maximum size. */
const MAX_CHOICES = 1024;
/** Distance between the block indexes of two choices. A choice has fewer blocks. */
const BLOCKS_PER_CHOICE = 2 ** 32;

/** Reads one choice of a stream. */
export interface ChoiceReader {
  readChoice(choice: JsonObject): void;
  end(): void;
}

/**
 * Reads all choices of a stream except the first one, if `n` is greater than 1. Emits only the content blocks
 * of these choices.
 */
export class AdditionalChoicesReader {
  readonly #emit: EmitResponseEvent;
  readonly #createReader: (emit: EmitResponseEvent) => ChoiceReader;
  readonly #fail: (fault: Fault) => void;
  readonly #readers = new Map<number, ChoiceReader>();
  #hasEnded = false;

  /** @param fail receives the fault if a choice can no longer be read */
  constructor(
    emit: EmitResponseEvent,
    createReader: (emit: EmitResponseEvent) => ChoiceReader,
    fail: (fault: Fault) => void,
  ) {
    this.#emit = emit;
    this.#createReader = createReader;
    this.#fail = fail;
  }

  read(index: number, choice: JsonObject): void {
    const reader = this.#readers.get(index) ?? this.#addReader(index);
    reader?.readChoice(choice);
  }

  end(): void {
    this.#hasEnded = true;
    for (const reader of this.#readers.values()) reader.end();
  }

  #addReader(index: number): ChoiceReader | undefined {
    // The first choice has another reader.
    const position = this.#readers.size + 1;
    if (position >= MAX_CHOICES) {
      this.#fail(
        new Fault(
          'upstream_error',
          `The provider sent more than ${MAX_CHOICES} choices, the maximum that Floe accepts in a stream. Request fewer choices.`,
        ),
      );
      return undefined;
    }
    const reader = this.#createReader((event) => {
      if (event.type === 'open' || event.type === 'delta' || event.type === 'close')
        this.#emit({ ...event, block: position * BLOCKS_PER_CHOICE + event.block });
      // Only the first choice determines how the stream ends.
      else if (event.type === 'error' && !this.#hasEnded) this.#fail(event.fault);
    });
    this.#readers.set(index, reader);
    return reader;
  }
}

/** Returns the response with the blocks of all its choices. */
export function readAllChoices(
  body: Json,
  readResponse: (body: Json) => CanonicalResponse,
): CanonicalResponse {
  const response = readResponse(body);
  const choices = isJsonObject(body) ? asArray(body['choices']) : [];
  if (choices.length === 0 || (choices.length === 1 && indexOf(choices[0]) === 0)) return response;
  // Other members of the body must not be copied for every choice.
  const blocks = choices.flatMap((choice) =>
    isJsonObject(choice) ? readResponse({ choices: [{ ...choice, index: 0 }] }).blocks : [],
  );
  return { ...response, blocks };
}

function indexOf(choice: Json | undefined): number {
  return (isJsonObject(choice) ? asNumber(choice['index']) : undefined) ?? 0;
}
