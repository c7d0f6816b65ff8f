import { EvaluationFailure } from '@floe/conditions/condition';
import type { ConditionValue } from '@floe/conditions/vocabulary';
import type { JsonObject } from '@floe/contract/json';
import { findLargestMaxOutputTokens } from '../requested-max-output-tokens.ts';
import { hasTokenIds, type PromptMessage, parsePromptMessages, TOKEN_IDS_MESSAGE } from './prompt-content.ts';
import { listToolNames } from './tool-names.ts';

/** A prompt that conditions read: a request, or an entry of a batch. */
export interface PromptSource {
  readonly model: string;
  readonly stream: boolean;
  /** Whether text outside of the members for messages is text of the user, too. */
  readonly hasOtherText: boolean;
  /** Size of the whole request body. */
  readonly bytes: number;
  readBody(): JsonObject;
  /** Returns 0 for an absent member or null, and undefined for any other value that is not a finite number. */
  readNumber(name: string): number | undefined;
}

/** Conditions cannot evaluate larger texts, so the cost of a condition is bounded. */
const MAX_TEXT_CHARS = 4_000_000;
const MAX_PROMPT_LIST_ENTRIES = 10_000;

const REQUEST_MEMBERS = [
  'model',
  'stream',
  'bytes',
  'max_tokens',
  'temperature',
  'system',
  'messages',
  'text',
  'tools',
] as const;

/** Builds the variable `request` for a prompt, with the members that conditions need. */
export function buildPromptVariables(
  prompt: PromptSource,
  needs: ReadonlySet<string>,
): ReadonlyMap<string, ConditionValue> | EvaluationFailure {
  return new PromptVariables(prompt, needs).build();
}

class PromptVariables {
  readonly #prompt: PromptSource;
  readonly #needs: ReadonlySet<string>;
  #messages: readonly PromptMessage[] | null = null;
  #tools: readonly string[] | null = null;

  constructor(prompt: PromptSource, needs: ReadonlySet<string>) {
    this.#prompt = prompt;
    this.#needs = needs;
  }

  build(): ReadonlyMap<string, ConditionValue> | EvaluationFailure {
    const failure = this.#findExcess();
    if (failure !== null) return failure;
    const members = new Map<string, ConditionValue>();
    for (const name of REQUEST_MEMBERS) {
      const value = this.#needsMember(name) ? this.#member(name) : undefined;
      if (value !== undefined) members.set(name, value);
    }
    return members;
  }

  #needsMember(name: (typeof REQUEST_MEMBERS)[number]): boolean {
    return this.#needs.has('request') || this.#needs.has(`request.${name}`);
  }

  #findExcess(): EvaluationFailure | null {
    if (this.#needsMember('messages') || this.#needsMember('text')) {
      if (hasTokenIds(this.#prompt.readBody())) return new EvaluationFailure(TOKEN_IDS_MESSAGE);
      const messages = this.#allMessages();
      if (messages.length > MAX_PROMPT_LIST_ENTRIES)
        return new EvaluationFailure(
          `the request has more than ${MAX_PROMPT_LIST_ENTRIES.toLocaleString('en-US')} messages`,
        );
      const chars = messages.reduce((sum, { text }) => sum + text.length, 0);
      if (chars > MAX_TEXT_CHARS)
        return new EvaluationFailure(
          `the text is longer than ${MAX_TEXT_CHARS.toLocaleString('en-US')} characters`,
        );
    }
    if (this.#needsMember('tools') && this.#toolNames().length > MAX_PROMPT_LIST_ENTRIES)
      return new EvaluationFailure(
        `the request has more than ${MAX_PROMPT_LIST_ENTRIES.toLocaleString('en-US')} tools`,
      );
    return null;
  }

  /** Returns undefined if the value has the wrong type. A condition that reads it cannot be evaluated. */
  #member(name: (typeof REQUEST_MEMBERS)[number]): ConditionValue | undefined {
    const { model, stream, bytes } = this.#prompt;
    switch (name) {
      case 'model':
        return model;
      case 'stream':
        return stream;
      case 'bytes':
        return BigInt(bytes);
      case 'max_tokens':
        return this.#maxOutputTokens();
      case 'temperature':
        return this.#prompt.readNumber('temperature');
      case 'system':
        return this.#allMessages().filter(isSystem).map(textOf).join('\n');
      case 'messages':
        return this.#allMessages().map(
          ({ role, text }) =>
            new Map([
              ['role', role],
              ['text', text],
            ]),
        );
      case 'text':
        return this.#allMessages().map(textOf).join('\n');
      case 'tools':
        return this.#toolNames();
    }
  }

  #maxOutputTokens(): bigint | undefined {
    const largest = findLargestMaxOutputTokens((name) => this.#prompt.readNumber(name));
    return largest === undefined ? undefined : BigInt(largest);
  }

  #allMessages(): readonly PromptMessage[] {
    this.#messages ??= parsePromptMessages(this.#prompt.readBody(), this.#prompt.hasOtherText);
    return this.#messages;
  }

  #toolNames(): readonly string[] {
    this.#tools ??= listToolNames(this.#prompt.readBody());
    return this.#tools;
  }
}

const textOf = ({ text }: PromptMessage) => text;
const isSystem = ({ role }: PromptMessage) => role === 'system' || role === 'developer';
