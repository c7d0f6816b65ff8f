const NODE_COMPLEXITY = 10;
/** Keeping the text of a number is the most expensive step of parsing. */
const INEXACT_NUMBER_COMPLEXITY = 30;
/** The maximum complexity of a request body that the gateway may parse. */
export const MAX_REQUEST_JSON_COMPLEXITY = 1_000_000;
/** The maximum complexity of a provider's response. Embeddings can contain some million numbers. */
export const MAX_RESPONSE_JSON_COMPLEXITY = 10_000_000;

/** Thrown if the complexity of a JSON text exceeds the maximum of the reader. */
export class JsonComplexityError extends Error {
  override readonly name = 'JsonComplexityError';
}

/**
 * Computes the complexity of a JSON text while it is read. Each member name, string, object and array adds 10. Any
 * other value adds 1. A number that JavaScript would write differently adds 30 more. The time to parse and
 * translate a body depends more on its complexity than on its size (decision 0160).
 */
export class JsonComplexityCounter {
  readonly #max: number;
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @throws JsonComplexityError */
  addNode(): void {
    this.#add(NODE_COMPLEXITY);
  }

  /** @throws JsonComplexityError */
  addScalar(): void {
    this.#add(1);
  }

  /** @throws JsonComplexityError */
  addInexactNumber(): void {
    this.#add(INEXACT_NUMBER_COMPLEXITY);
  }

  #add(complexity: number): void {
    this.#total += complexity;
    if (this.#total > this.#max)
      throw new JsonComplexityError(`The complexity of the JSON text exceeds the maximum of ${this.#max}.`);
  }
}

/**
 * Describes a maximum complexity in the terms of JSON.
 * @example
 * describeMaxComplexity(1_000_000).split('. ')[0]; // '100,000 names, strings, objects and arrays'
 */
export function describeMaxComplexity(max: number): string {
  const nodes = (max / NODE_COMPLEXITY).toLocaleString('en-US');
  return `${nodes} names, strings, objects and arrays. Ten numbers, booleans or nulls count as one of these. A number that JavaScript would write differently, such as 1.10, counts as three of these`;
}
