import type { Fault } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import type { CanonicalAnswer } from './answer.ts';
import type { AnswerEvent, DialectName, EmitAnswerEvent } from './events.ts';
import type { CanonicalRequest, ReasoningEffort, RequiredFeature } from './request.ts';
import type { SseEvent } from './sse.ts';
import type { LowerCaseHeaders, UpstreamFault } from './upstream-fault.ts';

export interface RequestReadOptions {
  /** Leave tools that a provider runs itself out (and report them) instead of needing that provider. */
  readonly dropHostedTools?: boolean;
}

/** What a client writer must know about the exchange; the same for stream and whole answer. */
export interface AnswerContext {
  readonly request: CanonicalRequest;
  /** The client's own body, for the settings a Responses answer repeats. */
  readonly clientBody?: JsonObject | undefined;
  /** Names the exchange: `[A-Za-z0-9]`, at most 40. Answer and item ids derive from it. */
  readonly id: string;
  readonly requestId: string;
  /** Unix seconds. */
  readonly createdS: number;
  readonly nowS: () => number;
  /** Chat only: reasoning text is dropped unless the org opted in. */
  readonly chatReasoning?: 'forward' | undefined;
  /** Estimated input tokens, said in a Messages stream before the provider counts. */
  readonly inputEstimate?: number | undefined;
  /** Vendor and credential that answer. When given, foreign seals travel packed; else they are dropped. */
  readonly sealOrigin?: string | undefined;
  /** Responses only: the answer can be gone on from with `previous_response_id`. */
  readonly isStored?: boolean | undefined;
  /** Chat only: freeform calls as function calls whose arguments are the raw text (IDE clients). */
  readonly freeformAsFunction?: boolean | undefined;
  /** Chat only: a refusal's text as content, for clients that show nothing else (IDE clients). */
  readonly refusalAsText?: boolean | undefined;
}

/**
 * Writes one answer as the client's stream. `write` gives the SSE text the event causes, often none;
 * after `finish` or `error` the stream is complete and nothing may follow.
 */
export interface AnswerStreamWriter {
  write(event: AnswerEvent): string;
  /** What the client's dialect could not show, each once. */
  readonly dropped: ReadonlySet<string>;
  /** The answer object as last told, in the dialect whose streams end with it. */
  readonly response?: JsonObject;
}

export interface ClientDialect {
  readonly name: DialectName;
  /** @throws Fault 400 with `param` when the body is not a request of this dialect. */
  readRequest(body: JsonObject, options?: RequestReadOptions): CanonicalRequest;
  createAnswerWriter(context: AnswerContext): AnswerStreamWriter;
  /** @throws the answer's own fault when it has one. */
  writeWholeAnswer(
    answer: CanonicalAnswer,
    context: AnswerContext,
  ): { readonly body: JsonObject; readonly dropped: ReadonlySet<string> };
  writeFault(fault: Fault, requestId: string, upstream?: UpstreamFault): JsonObject;
}

export interface AnswerReadOptions {
  /** Names the exchange; ids are made from it for calls that came without one. */
  readonly id: string;
  readonly sealOrigin?: string | undefined;
  /** The provider writes reasoning as `<think>…</think>` at the head of the text. */
  readonly thinkTags?: boolean | undefined;
}

/** Reads one exchange's stream, then is spent. Gives exactly one `finish` or `error`, as its last event. */
export interface AnswerStreamReader {
  read(frame: SseEvent): void;
  /** The stream ended. Without a finish that is an error, never a made-up finish. */
  end(): void;
}

export interface WrittenRequest {
  readonly body: JsonObject;
  /** Fields of the vocabulary that this target could not carry. */
  readonly dropped: ReadonlySet<string>;
}

export interface UpstreamDialect {
  readonly name: DialectName;
  readonly supportedFeatures: ReadonlySet<RequiredFeature>;
  writeRequest(ask: CanonicalRequest, options?: RequestWriteOptions): WrittenRequest;
  createAnswerReader(emit: EmitAnswerEvent, options: AnswerReadOptions): AnswerStreamReader;
  readWholeAnswer(body: Json, options: AnswerReadOptions): CanonicalAnswer;
  readFault(status: number, headers: LowerCaseHeaders, body: string): UpstreamFault;
}

export type ReasoningStyle =
  | 'effort'
  | 'reasoning-object'
  | 'budget'
  | 'adaptive'
  | 'switch'
  | 'enable-flag'
  | 'level'
  | 'none';

/** Facts about one provider and model that change how a request is written; from the provider's sheet. */
export interface RequestWriteOptions {
  /** The provider's own model id; the asked one otherwise. */
  readonly model?: string;
  readonly stream?: boolean;
  /** Used where the dialect demands a limit and the caller gave none. */
  readonly defaultMaxTokens?: number;
  /** How reasoning is asked for. */
  readonly reasoningStyle?: ReasoningStyle;
  /** Efforts the model lists; another is moved to the nearest and reported. */
  readonly efforts?: readonly ReasoningEffort[];
  /** Top-level members (or `generationConfig` members) the model refuses: dropped and reported. */
  readonly rejectedFields?: readonly string[];
  /** Hints the provider is known to take; a host that never heard of one may answer 4xx to it. */
  readonly hints?: readonly RequestHint[];
  readonly renames?: Readonly<Record<string, string>>;
  /** Other words for a member's value: `{tool_choice: {required: 'any'}}`. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly clamps?: Readonly<Record<string, { readonly min?: number; readonly max?: number }>>;
  /** Most stop sequences the provider takes. */
  readonly maxStopSequences?: number;
  readonly messages?: readonly MessageRule[];
  readonly tools?: readonly ToolRule[];
  /** Member in which a Chat provider wants reasoning of earlier turns back. */
  readonly replay?: 'reasoning_content' | 'reasoning' | 'reasoning_details';
  /** Identifies vendor and credential; seals of another origin are dropped. `false` drops all. */
  readonly sealOrigin?: string | false;
  /** Value for a first call of a turn whose proof is gone, where the provider documents one. */
  readonly unsealedCallProof?: string;
  /** Made-up or foreign call ids in the form the provider takes. */
  readonly formatCallId?: (id: string) => string;
  /** `false` where a provider refuses `stream_options`. */
  readonly streamUsage?: boolean;
  /** Needs this provider does not carry though its dialect has words for them. */
  readonly unsupportedFeatures?: readonly RequiredFeature[];
  /** Shortest prompt the model caches; where it is said, prompts are marked that the caller did not mark. */
  readonly cacheMinTokens?: number;
  /** Names the conversation, where the caller gave no name of its own and the provider takes one. */
  readonly cacheKey?: string | undefined;
}

export type RequestHint =
  | 'user'
  | 'metadata'
  | 'cache-key'
  | 'service-tier'
  | 'verbosity'
  | 'seed'
  | 'cache-mark';
/** `system-in-place`: system turns may stand in the middle of a Messages conversation. */
export type MessageRule = 'developer-role' | 'one-system-first' | 'system-in-place' | 'no-user-after-tool';
export type ToolRule =
  | 'freeform'
  | 'none-drops-tools'
  | 'named-filters'
  | 'required-is-auto'
  | 'strict'
  | 'no-strict';
