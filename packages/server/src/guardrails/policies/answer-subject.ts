import { Unjudged } from '@floe/conditions/condition';
import type { Found } from '@floe/conditions/detect/json-texts';
import type { Variable, Variables } from '@floe/conditions/vocabulary';
import type { Usage } from '@floe/wire/usage';
import type { Subject } from './judge.ts';
import type { PolicySide } from './policies.ts';
import { type JudgedRequest, RequestSubject } from './request-subject.ts';

/** An answer as its client would read it. */
export interface JudgedAnswer {
  readonly text: string;
  /** In the provider's word; empty while nobody has said it. */
  readonly finish: string;
  /** Names of the tools it calls. */
  readonly tools: readonly string[];
  readonly usage: Usage | null;
}

const TEXT_CHARS = 4_000_000;

/** Reads an answer, and the request behind it, for the rules on answers. `found` is asked once. */
export class AnswerSubject implements Subject {
  readonly #answer: JudgedAnswer;
  readonly #request: RequestSubject;
  readonly #find: () => Found;
  #found: Found | null = null;

  constructor(answer: JudgedAnswer, request: JudgedRequest, side: PolicySide, find: () => Found) {
    this.#answer = answer;
    this.#request = new RequestSubject(request, side);
    this.#find = find;
  }

  variables(): Variables | Unjudged {
    const { text, finish, tools, usage } = this.#answer;
    if (text.length > TEXT_CHARS) return new Unjudged(`longer than ${TEXT_CHARS} characters`);
    const variables = this.#request.variables();
    if (variables instanceof Unjudged) return variables;
    return {
      ...variables,
      answer: new Map<string, Variable>([
        ['text', text],
        ['finish', finish],
        ['tools', tools],
      ]),
      usage: usageVariable(usage),
    };
  }

  found(): Found {
    this.#found ??= this.#find();
    return this.#found;
  }
}

function usageVariable(usage: Usage | null): ReadonlyMap<string, Variable> {
  const { input = 0, output = 0, cached = 0, reasoning = 0 } = usage?.units ?? {};
  return new Map([
    ['input_tokens', BigInt(input)],
    ['output_tokens', BigInt(output)],
    ['cached_tokens', BigInt(cached)],
    ['reasoning_tokens', BigInt(reasoning)],
  ]);
}
