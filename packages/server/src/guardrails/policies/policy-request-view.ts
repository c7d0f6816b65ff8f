import { EvaluationFailure } from '@floe/conditions/condition';
import { type FindingLocationsByKind, locateFindings } from '@floe/conditions/detect/locate-findings';
import { type FindingCounts, type JsonScanResult, scanJson } from '@floe/conditions/detect/redact';
import type { ConditionValue, ConditionVariables } from '@floe/conditions/vocabulary';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { hasDuplicateMembers } from '@floe/wire/duplicate-member-names';
import { containsTokenIds } from '@floe/wire/embeddings-counts';
import { resolveInspectedMemberName } from '@floe/wire/inspected-members';
import { type ByteSpan, readNumberAt } from '@floe/wire/json-edits';
import { decodeWithoutCleanTexts } from './clean-text-cache.ts';
import type { PolicyEvaluationInput } from './evaluate-policies.ts';
import {
  type InlineLimits,
  requireWithinInlineParseLimit,
  requireWithinInlineReadLimit,
} from './inline-limits.ts';
import type { PolicySet } from './policies.ts';
import {
  hasTokenIds,
  INPUT_MEMBERS,
  PROMPT_CONTAINER_MEMBERS,
  type SplitPromptBody,
  separateNestedPrompts,
  TOKEN_IDS_MESSAGE,
} from './prompt-content.ts';
import { buildPromptVariables, type PromptSource } from './prompt-variables.ts';

/** The agent session that a request belongs to. */
export interface PolicySession {
  readonly id: string;
  /** Whether the session has requested decisions from the relay. */
  readonly relayed: boolean;
  readonly requests: number;
}

/** A request that policies evaluate before it is sent to a provider. */
export interface PolicyRequest {
  /** Well-formed JSON, an object. */
  readonly body: Buffer;
  /** The body after redaction, which the provider receives and can repeat. Missing if the body is not redacted. */
  readonly sentBody?: Uint8Array;
  /** Byte ranges of the top-level members of `body`. */
  readonly members: ReadonlyMap<string, ByteSpan>;
  /** Positions of its long strings. The detectors skip those that are known to contain no findings. */
  readonly longStrings?: readonly ByteSpan[];
  /** Number of members in the body, at any depth (`ScannedJsonMembers`). */
  readonly memberCount: number;
  readonly model: string;
  readonly stream: boolean;
  readonly surface: string;
  readonly key: string;
  readonly team: string | null;
  readonly owner: string | null;
  readonly endUser: string | null;
  readonly metadata: JsonObject | null;
  /** The session of an agent; null if sessions are not tracked. */
  readonly session?: PolicySession | null;
}

/**
 * The view of a request that policies evaluate. Reads each field of the request at most once, and
 * only if a policy needs the field.
 */
export class PolicyRequestView implements PolicyEvaluationInput {
  readonly #request: PolicyRequest;
  readonly #policySet: PolicySet;
  readonly #limits: InlineLimits | null;
  #json: string | null = null;
  #parsed: JsonObject | null = null;
  #variables: readonly (ConditionVariables | EvaluationFailure)[] | null = null;
  #scan: JsonScanResult | null = null;
  #counts: FindingCounts | null = null;
  /** Why detectors cannot read all of the text; null if they can. Undefined until it is needed. */
  #unreadable: string | null | undefined;
  #split: SplitPromptBody | null = null;
  #places: FindingLocationsByKind | null = null;

  /** @param limits null in a worker thread, where the evaluation may take longer */
  constructor(request: PolicyRequest, policySet: PolicySet, limits: InlineLimits | null = null) {
    this.#request = request;
    this.#policySet = policySet;
    this.#limits = limits;
  }

  variables(): readonly (ConditionVariables | EvaluationFailure)[] {
    this.#variables ??= this.#tryBuildVariables();
    return this.#variables;
  }

  findings(): FindingCounts {
    this.#counts ??= this.#find();
    return this.#counts;
  }

  #find(): FindingCounts {
    const { body, longStrings = [] } = this.#request;
    const { detects, cleanTexts } = this.#policySet;
    requireWithinInlineReadLimit(body.length, this.#limits);
    const options = { cleanTexts, meter: this.#limits?.scanMeter };
    const newTexts = decodeWithoutCleanTexts(body, longStrings, cleanTexts);
    const found = newTexts === null ? null : scanJson(newTexts, detects, options).counts;
    if (found?.size === 0) return found;
    this.#scan = scanJson(this.#text(), detects, options);
    return this.#scan.counts;
  }

  places(): FindingLocationsByKind {
    requireWithinInlineParseLimit(this.#request.body.length, this.#limits);
    this.#places ??= locateFindings(
      this.#text(),
      this.#policySet.detects,
      this.#scan ?? undefined,
      this.#limits?.scanMeter,
    );
    return this.#places;
  }

  unreadableText(): string | null {
    if (this.#unreadable === undefined) this.#unreadable = this.#findUnreadableText();
    return this.#unreadable;
  }

  #findUnreadableText(): string | null {
    const { body, members } = this.#request;
    const isUnreadable = INPUT_MEMBERS.some((name) => {
      const span = members.get(name);
      return span !== undefined && containsTokenIds(body, span);
    });
    if (isUnreadable) return TOKEN_IDS_MESSAGE;
    if (!this.#hasNestedPrompts()) return null;
    try {
      return this.#nestedPrompts().contained.some(hasTokenIds) ? TOKEN_IDS_MESSAGE : null;
    } catch (error) {
      if (error instanceof AmbiguousBodyError) return error.message;
      throw error;
    }
  }

  /** The scan of the body; null if no policy has needed it, or if the body contains no findings. */
  get scan(): JsonScanResult | null {
    return this.#scan;
  }

  #text(): string {
    this.#json ??= this.#request.body.toString('utf8');
    return this.#json;
  }

  #tryBuildVariables(): readonly (ConditionVariables | EvaluationFailure)[] {
    try {
      return this.#buildVariables();
    } catch (error) {
      if (!(error instanceof AmbiguousBodyError)) throw error;
      return [new EvaluationFailure(error.message)];
    }
  }

  #buildVariables(): readonly (ConditionVariables | EvaluationFailure)[] {
    const { needs } = this.#policySet;
    const { key, team, owner, endUser, surface, metadata, session } = this.#request;
    const caller = {
      key,
      surface,
      team: team ?? '',
      owner: owner ?? '',
      end_user: endUser ?? '',
      metadata: needs.has('metadata') ? toVariable(metadata ?? {}) : null,
      session: new Map<string, ConditionValue>([
        ['id', session?.id ?? ''],
        ['relayed', session?.relayed ?? false],
        ['requests', BigInt(session?.requests ?? 0)],
      ]),
    };
    return this.#findPrompts().map((prompt) => {
      const request = buildPromptVariables(prompt, needs);
      return request instanceof EvaluationFailure ? request : { ...caller, request };
    });
  }

  /** Returns the request, or the prompts that it contains, such as those of a batch. */
  #findPrompts(): readonly PromptSource[] {
    const { model, stream, body, surface } = this.#request;
    const own: PromptSource = {
      hasOtherText: !MESSAGE_SURFACES.has(surface),
      model,
      stream,
      bytes: body.length,
      readBody: () => this.#body(),
      readNumber: (name) => this.#number(name),
    };
    if (!this.#hasNestedPrompts() || !this.#needsRequest()) return [own];
    const { contained, rest, isRestPrompt } = this.#nestedPrompts();
    return [
      ...(isRestPrompt ? [{ ...own, readBody: () => rest }] : []),
      ...contained.flatMap((prompt) => toPromptSources(prompt, own)),
    ];
  }

  #hasNestedPrompts(): boolean {
    return PROMPT_CONTAINER_MEMBERS.some((name) => this.#request.members.has(name));
  }

  /** @throws AmbiguousBodyError */
  #nestedPrompts(): SplitPromptBody {
    if (this.#split) return this.#split;
    const split = separateNestedPrompts(this.#body());
    for (const prompt of split.contained) requireUnambiguousNames(prompt);
    this.#split = split;
    return split;
  }

  #needsRequest(): boolean {
    return [...this.#policySet.needs].some((need) => need.startsWith('request'));
  }

  /** Returns 0 for an absent member or null, and undefined for any other value that is not a finite number. */
  #number(name: string): number | undefined {
    const { body, members } = this.#request;
    const span = members.get(name);
    if (span === undefined || body[span.start] === NULL_START) return 0;
    const value = readNumberAt(body, span);
    return value !== undefined && Number.isFinite(value) ? value : undefined;
  }

  #body(): JsonObject {
    if (this.#parsed) return this.#parsed;
    requireWithinInlineParseLimit(this.#request.body.length, this.#limits);
    const parsed: unknown = JSON.parse(this.#text());
    if (!isJsonObject(parsed)) throw new Error('expected the evaluated body to be an object');
    if (hasDuplicateMembers(parsed, this.#request.memberCount))
      throw new AmbiguousBodyError('an object in the request contains the same field twice');
    this.#parsed = parsed;
    return parsed;
  }
}

/**
 * Thrown if Floe and the provider could read different members: several have the same name, or the letter case of a
 * name differs.
 */
class AmbiguousBodyError extends Error {
  override readonly name = 'AmbiguousBodyError';
}

/**
 * Requires that every member that policies read has its usual spelling, as it must have in the body itself. Providers
 * that ignore the case of names would read other spellings too.
 */
function requireUnambiguousNames(prompt: JsonObject): void {
  for (const name of Object.keys(prompt))
    if (resolveInspectedMemberName(name) !== name)
      throw new AmbiguousBodyError(
        'a field in a prompt of the request differs in letter case from a known field',
      );
}

/** The surfaces whose APIs define which members contain messages. */
const MESSAGE_SURFACES: ReadonlySet<string> = new Set(['chat', 'responses', 'messages', 'embeddings']);
/** The first byte of `null`. */
const NULL_START = 0x6e;

/**
 * Converts a contained prompt. If it names another model than the body that contains it, the provider decides which one
 * it uses, so policies evaluate the prompt with both.
 */
function toPromptSources(prompt: JsonObject, { model: outerModel, bytes }: PromptSource): PromptSource[] {
  const { model, stream, messages, input } = prompt;
  const models = new Set(typeof model === 'string' ? [model] : []);
  if (outerModel !== '' || models.size === 0) models.add(outerModel);
  return [...models].map((each) => ({
    model: each,
    stream: stream === true,
    hasOtherText: messages == null && input == null,
    bytes,
    readBody: () => prompt,
    readNumber(name) {
      const value = prompt[name] ?? 0;
      return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
    },
  }));
}

/** Converts JSON to a value for conditions. */
function toVariable(value: Json | undefined): ConditionValue {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toVariable);
  if (isJsonObject(value))
    return new Map(Object.entries(value).map(([name, entry]) => [name, toVariable(entry)]));
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
}
