import { Buffer } from 'node:buffer';
import { Fault, type FaultCode } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import {
  describeMaxComplexity,
  JsonComplexityCounter,
  JsonComplexityError,
  MAX_REQUEST_JSON_COMPLEXITY,
} from './json-complexity.ts';
import { JsonCursor } from './json-cursor.ts';
import { isJsonObject, tryParseExactJson } from './json-narrowing.ts';
import { JsonSyntaxError } from './json-syntax-error.ts';

/**
 * Parses the JSON in strings of one request or response, such as the arguments of tool calls. The complexity of the
 * body does not include this JSON, so this parser counts it, with the same maximum for all strings together.
 */
export class EmbeddedJsonParser {
  readonly #complexity = new JsonComplexityCounter(MAX_REQUEST_JSON_COMPLEXITY);
  readonly #code: FaultCode;

  /** @param code the code of the fault for JSON that is too complex */
  constructor(code: 'request_too_large' | 'upstream_error' = 'request_too_large') {
    this.#code = code;
  }

  /**
   * Returns undefined if the text is not JSON, or has more than 512 levels.
   * @throws Fault if the JSON of all strings together is too complex
   */
  parse(text: string): Json | undefined {
    const cursor = new JsonCursor(Buffer.from(text));
    cursor.complexity = this.#complexity;
    try {
      cursor.skip();
    } catch (error) {
      if (error instanceof JsonSyntaxError) return undefined;
      if (error instanceof JsonComplexityError) throw this.#createFault();
      throw error;
    }
    return tryParseExactJson(text);
  }

  /**
   * Parses arguments as an object. Text that is not a JSON object is stored under `input`, and reported as dropped.
   * @throws Fault if the JSON of all strings together is too complex
   */
  parseArguments(text: string, dropped: Set<string>): JsonObject {
    const parsed = this.parse(text);
    if (isJsonObject(parsed)) return parsed;
    dropped.add('tool_calls.arguments.malformed');
    return { input: text };
  }

  #createFault(): Fault {
    const remedy = this.#code === 'request_too_large' ? 'Remove values' : 'Request less output';
    return new Fault(
      this.#code,
      `The arguments of the tool calls have too many JSON values. The maximum is ${describeMaxComplexity(MAX_REQUEST_JSON_COMPLEXITY)}. ${remedy}, or split the request.`,
    );
  }
}
