const NODE_WEIGHT = 10;
/** Keeping the text of a number is the most expensive step of parsing. */
const INEXACT_NUMBER_WEIGHT = 30;
/** The maximum weight of a request body that the gateway may parse. */
export const MAX_REQUEST_JSON_WEIGHT = 1_000_000;
/** The maximum weight of a provider's response. Embeddings can contain some million numbers. */
export const MAX_RESPONSE_JSON_WEIGHT = 10_000_000;

/** Thrown if JSON text weighs more than the maximum of the reader. */
export class JsonWeightError extends Error {
  override readonly name = 'JsonWeightError';
}

/**
 * Computes the weight of JSON text while it is read. A member name, string, object or array weighs 10. Any other
 * value weighs 1. A number that JavaScript would write differently weighs 30 more. The time to parse and translate a body depends
 * more on its weight than on its bytes (decision 0160).
 */
export class JsonWeightCounter {
  readonly #max: number;
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @throws JsonWeightError */
  addNode(): void {
    this.#add(NODE_WEIGHT);
  }

  /** @throws JsonWeightError */
  addScalar(): void {
    this.#add(1);
  }

  /** @throws JsonWeightError */
  addInexactNumber(): void {
    this.#add(INEXACT_NUMBER_WEIGHT);
  }

  #add(weight: number): void {
    this.#total += weight;
    if (this.#total > this.#max)
      throw new JsonWeightError(`The weight of the JSON text exceeds the maximum of ${this.#max}.`);
  }
}

/**
 * Describes a maximum weight in the terms of JSON.
 * @example
 * describeMaxWeight(1_000_000).split('. ')[0]; // '100,000 names, strings, objects and arrays'
 */
export function describeMaxWeight(max: number): string {
  const nodes = (max / NODE_WEIGHT).toLocaleString('en-US');
  return `${nodes} names, strings, objects and arrays. Ten plain numbers, booleans or nulls count as one; a number such as 1.10 counts as three`;
}
