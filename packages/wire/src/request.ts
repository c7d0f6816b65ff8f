import { Fault } from '@floe/contract/faults';
import type { JsonNumber, JsonObject } from '@floe/contract/json';
import type { DialectName, Seal } from './events.ts';

/**
 * A feature whose loss would change what the request means. A target whose dialect does not carry it is
 * no candidate. Everything else that cannot be carried is a hint: dropped, and listed.
 */
export type RequiredFeature =
  | 'image'
  | 'image-url'
  | 'file'
  | 'file-url'
  /** A file that is neither a PDF document nor text. */
  | 'file-type'
  /** A picture that is not JPEG, PNG, GIF or WebP. */
  | 'image-type'
  | 'audio'
  /** Media by an id only its provider can resolve. */
  | 'media-id'
  | 'json'
  | 'schema'
  | 'audio-out'
  | 'logprobs'
  /** More than one answer to one request. */
  | 'choices'
  /** A tool the provider runs itself. */
  | 'hosted-tool'
  /** State kept at the provider: a previous response, a conversation, a prompt id. */
  | 'stored-state'
  | 'background'
  /** Content of a kind this vocabulary has no word for. */
  | 'unknown-content';

/** `''` asks for the provider's default lifetime. */
export type CacheBreakpoint = '' | '5m' | '1h';

/** What Messages says of a document beside its content. */
export interface DocumentMetadata {
  readonly title?: string | undefined;
  readonly context?: string | undefined;
  /** The answer is to cite it. */
  readonly citations?: true | undefined;
}

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly cache?: CacheBreakpoint | undefined;
  /** The text is a document of its own. */
  readonly document?: DocumentMetadata | undefined;
}
export type MediaSource =
  | { readonly url: string }
  | { readonly data: string; readonly mime: string }
  | { readonly id: string };
export interface MediaPart {
  readonly type: 'media';
  readonly kind: 'image' | 'file' | 'audio';
  readonly source: MediaSource;
  /** Resolution hint of an image: low, high, auto. */
  readonly detail?: string | undefined;
  /** File name, or title of a document. */
  readonly name?: string | undefined;
  readonly document?: Omit<DocumentMetadata, 'title'> | undefined;
  readonly cache?: CacheBreakpoint | undefined;
}
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly seal?: Seal | undefined;
}
export interface RefusalPart {
  readonly type: 'refusal';
  readonly text: string;
}
export interface ToolCallPart {
  readonly type: 'call';
  readonly id: string;
  readonly name: string;
  /** Argument JSON as the model wrote it, or raw text when `freeform`. */
  readonly input: string;
  readonly freeform: boolean;
  readonly cache?: CacheBreakpoint | undefined;
}
export interface ToolResultPart {
  readonly type: 'result';
  readonly id: string;
  readonly parts: readonly (TextPart | MediaPart)[];
  readonly isError: boolean;
  readonly cache?: CacheBreakpoint | undefined;
}
export type ContentPart = TextPart | MediaPart | ReasoningPart | RefusalPart | ToolCallPart | ToolResultPart;

/** Results stand in user turns; a `system` turn is one in the middle of the conversation. */
export interface ConversationTurn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly ContentPart[];
}

export interface FunctionTool {
  readonly kind: 'function';
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema: JsonObject;
  readonly strict?: boolean | undefined;
  readonly cache?: CacheBreakpoint | undefined;
  /** Name as the client knows it, when the tool came inside a namespace. */
  readonly within?: { readonly namespace: string; readonly name: string } | undefined;
}
export interface FreeformTool {
  readonly kind: 'freeform';
  readonly name: string;
  readonly description?: string | undefined;
  readonly grammar?: { readonly syntax: string; readonly definition: string } | undefined;
  readonly cache?: CacheBreakpoint | undefined;
}
export type ToolDefinition = FunctionTool | FreeformTool;

export type ToolChoice =
  | { readonly mode: 'auto' | 'none' | 'required'; readonly allowed?: readonly string[] | undefined }
  | { readonly mode: 'named'; readonly name: string };

export type ResponseFormat =
  | { readonly type: 'json' }
  | {
      readonly type: 'schema';
      readonly name?: string | undefined;
      readonly description?: string | undefined;
      readonly schema: JsonObject;
      readonly strict?: boolean | undefined;
    };

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export interface ReasoningSettings {
  readonly effort?: ReasoningEffort | undefined;
  /** Tokens the model may think for. */
  readonly budget?: number | undefined;
  /** The provider decides how long to think. */
  readonly adaptive?: true | undefined;
  /** Summaries wanted, in the client's word for how much: auto, concise, detailed. */
  readonly summary?: string | undefined;
}

export interface SamplingSettings {
  readonly temperature?: JsonNumber | undefined;
  readonly topP?: JsonNumber | undefined;
  readonly topK?: JsonNumber | undefined;
  readonly presencePenalty?: JsonNumber | undefined;
  readonly frequencyPenalty?: JsonNumber | undefined;
  readonly seed?: JsonNumber | undefined;
}

/** One request, whatever dialect it came in. */
export interface CanonicalRequest {
  readonly dialect: DialectName;
  readonly model: string;
  readonly stream: boolean;
  /** The client wants a usage frame in a Chat stream. */
  readonly streamUsage: boolean;
  readonly system: readonly TextPart[];
  readonly turns: readonly ConversationTurn[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice?: ToolChoice | undefined;
  readonly parallelTools?: boolean | undefined;
  readonly format?: ResponseFormat | undefined;
  readonly verbosity?: string | undefined;
  readonly maxTokens?: number | undefined;
  readonly stop: readonly string[];
  readonly sampling: SamplingSettings;
  readonly reasoning?: ReasoningSettings | undefined;
  /** The caller's name for its end user. */
  readonly user?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly cacheKey?: string | undefined;
  readonly serviceTier?: string | undefined;
  /** Each need with the path of the field it came from. */
  readonly requiredFeatures: ReadonlyMap<RequiredFeature, string>;
  /** Hints of the client's dialect that this vocabulary has no word for, by field path. */
  readonly dropped: readonly string[];
}

/**
 * The needs of a request that `carried` does not cover, or that this provider `lacks` all the same, with the field each came from.
 *
 * @example
 * const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
 * const { request } = normalizeIdeRequest({ model: 'gpt-5', messages: [{ role: 'user', content: [image] }] });
 * findUnsupportedFeatures(request, new Set(['file'])); // [{ need: 'image', param: 'messages[0].content[0]' }]
 */
export function findUnsupportedFeatures(
  request: CanonicalRequest,
  carried: ReadonlySet<RequiredFeature>,
  lacks: readonly RequiredFeature[] = [],
): readonly { readonly need: RequiredFeature; readonly param: string }[] {
  return [...request.requiredFeatures]
    .filter(([need]) => !carried.has(need) || lacks.includes(need))
    .map(([need, param]) => ({ need, param }));
}

/**
 * The clear refusal for a request no target can carry.
 *
 * @example
 * unsupportedFeatureFault({ need: 'background', param: 'background' }).code; // 'unsupported_parameter'
 */
export function unsupportedFeatureFault({
  need,
  param,
}: {
  readonly need: RequiredFeature;
  readonly param: string;
}): Fault {
  return new Fault(
    'unsupported_parameter',
    `\`${param}\` (${need}) cannot be translated to the API of this provider. Remove it, or choose a model whose provider has the API that you call.`,
    { param },
  );
}
