import { EvaluationFailure } from '@floe/conditions/condition';
import type { FindingLocationsByKind } from '@floe/conditions/detect/locate-findings';
import type { FindingCounts } from '@floe/conditions/detect/redact';
import type { ConditionValue, ConditionVariables } from '@floe/conditions/vocabulary';
import type { Usage } from '@floe/wire/usage';
import type { PolicyEvaluationInput } from './evaluate-policies.ts';
import type { InlineLimits } from './inline-limits.ts';
import type { PolicySet } from './policies.ts';
import { type PolicyRequest, PolicyRequestView } from './policy-request-view.ts';

/** A response as the client will receive it. */
export interface PolicyResponse {
  readonly text: string;
  /** The provider's finish reason; empty if there is none yet. */
  readonly finish: string;
  /** Names of the tools that the response calls. */
  readonly tools: readonly string[];
  readonly usage: Usage | null;
}

/** Searches a response for sensitive data. Each method is called at most once. */
export interface ResponseFindingsSearch {
  find(): FindingCounts;
  /** Returns where the findings are. Null if the text has no paths, as in a stream. */
  locate(): FindingLocationsByKind | null;
  /** The limits for the request. Null if the evaluation runs in a worker thread. */
  readonly limits: InlineLimits | null;
}

const MAX_TEXT_CHARS = 4_000_000;

/** Gives response policies access to a response and its request. */
export class PolicyResponseView implements PolicyEvaluationInput {
  readonly #answer: PolicyResponse;
  readonly #request: PolicyRequestView;
  readonly #search: ResponseFindingsSearch;
  #findings: FindingCounts | null = null;
  #places: FindingLocationsByKind | null = null;

  constructor(
    answer: PolicyResponse,
    request: PolicyRequest,
    policySet: PolicySet,
    search: ResponseFindingsSearch,
  ) {
    this.#answer = answer;
    this.#request = new PolicyRequestView(request, policySet, search.limits);
    this.#search = search;
  }

  variables(): readonly (ConditionVariables | EvaluationFailure)[] {
    const { text, finish, tools, usage } = this.#answer;
    if (text.length > MAX_TEXT_CHARS)
      return [
        new EvaluationFailure(`the text is longer than ${MAX_TEXT_CHARS.toLocaleString('en-US')} characters`),
      ];
    const own = {
      answer: new Map<string, ConditionValue>([
        ['text', text],
        ['finish', finish],
        ['tools', tools],
      ]),
      usage: toUsageVariable(usage),
    };
    return this.#request
      .variables()
      .map((request) => (request instanceof EvaluationFailure ? request : { ...request, ...own }));
  }

  findings(): FindingCounts {
    this.#findings ??= this.#search.find();
    return this.#findings;
  }

  places(): FindingLocationsByKind | null {
    this.#places ??= this.#search.locate();
    return this.#places;
  }

  unreadableText(): null {
    return null;
  }
}

function toUsageVariable(usage: Usage | null): ReadonlyMap<string, ConditionValue> {
  const { input = 0, output = 0, cached = 0, reasoning = 0 } = usage?.units ?? {};
  return new Map([
    ['input_tokens', BigInt(input)],
    ['output_tokens', BigInt(output)],
    ['cached_tokens', BigInt(cached)],
    ['reasoning_tokens', BigInt(reasoning)],
  ]);
}
