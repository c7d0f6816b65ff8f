import { JsonComplexityCounter } from './json-complexity.ts';
import { JsonCursor } from './json-cursor.ts';

/**
 * Checks the complexity of the first value in a JSON text. Scans the text without building JavaScript values.
 * @throws JsonComplexityError if the complexity exceeds `max`; JsonSyntaxError if the value is invalid
 * @example
 * enforceMaxJsonComplexity(Buffer.from('{"model":"gpt-5"}'), 1_000); // undefined
 */
export function enforceMaxJsonComplexity(bytes: Uint8Array, max: number): void {
  const cursor = new JsonCursor(bytes);
  cursor.complexity = new JsonComplexityCounter(max);
  cursor.skip();
}
