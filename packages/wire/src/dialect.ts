import type { Json, JsonObject } from '@floe/contract/json';
import type { CanonicalResponse } from './canonical-response.ts';
import type { CanonicalRequest, ReasoningEffort, RequiredFeature } from './request.ts';
import type { DialectName, EmitResponseEvent, ResponseEvent } from './response-events.ts';
import type { SseEvent } from './sse.ts';
import type { LowerCaseHeaders, UpstreamFault } from './upstream-fault.ts';

/** Options for reading a request. */
export interface RequestReadOptions {
  /** Whether to drop and report hosted tools instead of requiring a provider that has them. */
  readonly dropHostedTools?: boolean;
}

/** The properties of the exchange that a client writer needs, for streams and for complete responses. */
export interface ResponseWriteContext {
  readonly request: CanonicalRequest;
  /** The client's body. A Responses response repeats its settings. */
  readonly clientBody?: JsonObject | undefined;
  /**
   * Id of the exchange: `[A-Za-z0-9]`, at most 40 characters. The ids of the response and its items derive
   * from it.
   */
  readonly id: string;
  readonly requestId: string;
  /** Unix seconds. */
  readonly createdS: number;
  readonly nowS: () => number;
  /** Chat only: whether reasoning text is forwarded. It is dropped unless the organization enabled it. */
  readonly chatReasoning?: 'forward' | undefined;
  /** Estimated input tokens for a Messages stream, reported before the provider's count is known. */
  readonly inputEstimate?: number | undefined;
  /**
   * Vendor and credential of the target. If present, seals of other dialects are packed; otherwise they are
   * dropped.
   */
  readonly sealOrigin?: string | undefined;
  /** Responses only: whether the response can be continued with `previous_response_id`. */
  readonly isStored?: boolean | undefined;
  /** Chat only: writes freeform calls as function calls with raw text as arguments (IDE clients). */
  readonly freeformAsFunction?: boolean | undefined;
  /** Chat only: writes the text of a refusal as content, for clients that show nothing else (IDE clients). */
  readonly refusalAsText?: boolean | undefined;
}

/**
 * Writes one response as the stream that the client receives. `write` returns the SSE text for an
 * event, which is often empty. After `finish` or `error`, the stream is complete and no event may
 * follow.
 */
export interface ResponseStreamWriter {
  write(event: ResponseEvent): string;
  /** Names of response fields that the client's dialect cannot represent. */
  readonly dropped: ReadonlySet<string>;
  /** The current response object, in a dialect whose streams end with it. */
  readonly response?: JsonObject;
}

/** A dialect that clients use. */
export interface ClientDialect {
  readonly name: DialectName;
  /** @throws Fault 400 with `param` if the body is not a request of this dialect */
  readRequest(body: JsonObject, options?: RequestReadOptions): CanonicalRequest;
  createResponseWriter(context: ResponseWriteContext): ResponseStreamWriter;
  /** @throws the response's fault, if it has one */
  writeCompleteResponse(
    answer: CanonicalResponse,
    context: ResponseWriteContext,
  ): { readonly body: JsonObject; readonly dropped: ReadonlySet<string> };
}

/** Options for reading a response. */
export interface ResponseReadOptions {
  /** Id of the exchange. Ids of calls without one derive from it. */
  readonly id: string;
  readonly sealOrigin?: string | undefined;
  /** Whether the provider writes reasoning as `<think>…</think>` at the start of the text. */
  readonly thinkTags?: boolean | undefined;
  /** Whether to read the blocks of all choices (`n` of Chat) instead of only the first one. */
  readonly allChoices?: boolean | undefined;
}

/**
 * Reads the stream of one exchange. Emits exactly one `finish` or `error`, always as the last
 * event.
 */
export interface ResponseStreamReader {
  read(frame: SseEvent): void;
  /** Ends the stream. Emits an error if there was no finish. */
  end(): void;
}

/** A request in a target's dialect. */
export interface WrittenRequest {
  readonly body: JsonObject;
  /** Names of canonical fields that the target does not support. */
  readonly dropped: ReadonlySet<string>;
}

/** A dialect that providers use. */
export interface UpstreamDialect {
  readonly name: DialectName;
  readonly supportedFeatures: ReadonlySet<RequiredFeature>;
  writeRequest(ask: CanonicalRequest, options?: RequestWriteOptions): WrittenRequest;
  createResponseReader(emit: EmitResponseEvent, options: ResponseReadOptions): ResponseStreamReader;
  readCompleteResponse(body: Json, options: ResponseReadOptions): CanonicalResponse;
  readFault(status: number, headers: LowerCaseHeaders, body: string): UpstreamFault;
}

/** How a provider expects reasoning to be requested. */
export type ReasoningStyle =
  | 'effort'
  | 'reasoning-object'
  | 'budget'
  | 'adaptive'
  | 'switch'
  | 'enable-flag'
  | 'level'
  | 'none';

/** The thinking budgets in tokens that a model accepts. */
export interface ThinkingBudgetRange {
  readonly min: number;
  readonly max: number;
  /** Whether the model also rejects 0, which disables thinking. */
  readonly required?: true;
}

/**
 * Properties of a provider and model that affect how a request is written. The provider definition
 * declares them.
 */
export interface RequestWriteOptions {
  /** The provider's model id. Defaults to the requested one. */
  readonly model?: string;
  readonly stream?: boolean;
  /** Maximum output tokens. Used if the dialect requires a limit and the caller set none. */
  readonly defaultMaxTokens?: number;
  /** How reasoning is requested. */
  readonly reasoningStyle?: ReasoningStyle;
  /** Efforts that the model supports. Any other effort is replaced with the nearest one and reported. */
  readonly efforts?: readonly ReasoningEffort[];
  /** Gemini only. A budget outside this range is replaced with the nearest one and reported. */
  readonly thinkingBudgets?: ThinkingBudgetRange;
  /**
   * Top-level members (or `generationConfig` members) that the model rejects. They are dropped and reported.
   */
  readonly rejectedFields?: readonly string[];
  /** Hints that the provider accepts. Other providers may respond to a hint with 4xx. */
  readonly hints?: readonly RequestHint[];
  readonly renames?: Readonly<Record<string, string>>;
  /** Replacements for values of members: `{tool_choice: {required: 'any'}}`. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly clamps?: Readonly<Record<string, { readonly min?: number; readonly max?: number }>>;
  /** Maximum number of stop sequences. */
  readonly maxStopSequences?: number;
  readonly messages?: readonly MessageQuirk[];
  readonly tools?: readonly ToolQuirk[];
  /** Member in which a Chat provider expects the reasoning of earlier turns. */
  readonly replay?: 'reasoning_content' | 'reasoning' | 'reasoning_details';
  /** Vendor and credential of the target. Seals of another origin are dropped; `false` drops all seals. */
  readonly sealOrigin?: string | false;
  /** Value for the first call of a turn without a seal, if the provider documents one. */
  readonly unsealedCallProof?: string;
  /** Converts generated or foreign call ids to the form that the provider accepts. */
  readonly formatCallId?: (id: string) => string;
  /** `false` if the provider rejects `stream_options`. */
  readonly streamUsage?: boolean;
  /** Features that the provider does not support although its dialect does. */
  readonly unsupportedFeatures?: readonly RequiredFeature[];
  /** Shortest prompt that the model caches. If present, breakpoints are added to prompts without any. */
  readonly cacheMinTokens?: number;
  /** Identifies the conversation, if the caller did not and the provider accepts such a key. */
  readonly cacheKey?: string | undefined;
}

/** A field that may be dropped without changing the meaning of a request. */
export type RequestHint =
  | 'user'
  | 'metadata'
  | 'cache-key'
  | 'service-tier'
  | 'verbosity'
  | 'seed'
  | 'cache-mark';
/**
 * A provider's requirements for messages. `system-in-place` means that a conversation in the Messages dialect
 * may contain system messages between other messages.
 */
export type MessageQuirk = 'developer-role' | 'one-system-first' | 'system-in-place' | 'no-user-after-tool';
/** A provider's requirements for tools. `forced-unthinking` means that a forced tool choice rules out thinking. */
export type ToolQuirk =
  | 'freeform'
  | 'none-drops-tools'
  | 'named-filters'
  | 'required-is-auto'
  | 'forced-unthinking'
  | 'strict'
  | 'no-strict';
