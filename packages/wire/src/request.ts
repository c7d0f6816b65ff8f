import { Fault } from '@floe/contract/faults';
import type { JsonNumber, JsonObject } from '@floe/contract/json';
import type { DialectName, Seal } from './response-events.ts';

/**
 * A feature that a target must support, because the meaning of the request would change without it.
 * All other unsupported fields are hints, which are dropped and reported.
 */
export type RequiredFeature =
  | 'image'
  | 'image-url'
  | 'file'
  | 'file-url'
  /** A file that is neither a PDF document nor text. */
  | 'file-type'
  /** An image that is not JPEG, PNG, GIF or WebP. */
  | 'image-type'
  | 'audio'
  /** An image, a file or audio in a message of the assistant. */
  | 'assistant-media'
  /** Media that a client refers to by an id, which only the provider that stores the media knows. */
  | 'media-id'
  | 'json'
  | 'schema'
  | 'audio-out'
  | 'logprobs'
  /** More than one choice in the response. */
  | 'choices'
  /** A tool that the provider runs. */
  | 'hosted-tool'
  /** State that the provider stores: a previous response, a conversation, a prompt id. */
  | 'stored-state'
  | 'background'
  /** Content of an unknown kind. */
  | 'unknown-content';

/**
 * A point in the prompt up to which the provider caches it, represented by the cache lifetime. `''`
 * means the provider's default lifetime.
 */
export type CacheBreakpoint = '' | '5m' | '1h';

/** The metadata of a document in a Messages request. */
export interface DocumentMetadata {
  readonly title?: string | undefined;
  readonly context?: string | undefined;
  /** Whether the response must cite the document. */
  readonly citations?: true | undefined;
}

/** A text part of a turn or system prompt. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly cache?: CacheBreakpoint | undefined;
  /** Set if the text is a separate document. */
  readonly document?: DocumentMetadata | undefined;
}
/** The source of an image, a file or audio: a URL, base64 data or a file id. */
export type MediaSource =
  | { readonly url: string }
  | { readonly data: string; readonly mime: string }
  | { readonly id: string };
/** A part that contains an image, a file or audio. */
export interface MediaPart {
  readonly type: 'media';
  readonly kind: 'image' | 'file' | 'audio';
  readonly source: MediaSource;
  /** Resolution of an image: low, high or auto. */
  readonly detail?: string | undefined;
  /** File name, or title of a document. */
  readonly name?: string | undefined;
  readonly document?: Omit<DocumentMetadata, 'title'> | undefined;
  readonly cache?: CacheBreakpoint | undefined;
}
/** A part that contains reasoning from an earlier response. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly seal?: Seal | undefined;
}
/** A part that contains a refusal from an earlier response. */
export interface RefusalPart {
  readonly type: 'refusal';
  readonly text: string;
}
/** A part that contains a tool call from an earlier response. */
export interface ToolCallPart {
  readonly type: 'call';
  readonly id: string;
  readonly name: string;
  /** Argument JSON as the model wrote it, or raw text if `freeform`. */
  readonly input: string;
  readonly freeform: boolean;
  readonly cache?: CacheBreakpoint | undefined;
}
/** A part that contains the result of a tool call. */
export interface ToolResultPart {
  readonly type: 'result';
  readonly id: string;
  readonly parts: readonly (TextPart | MediaPart)[];
  readonly isError: boolean;
  readonly cache?: CacheBreakpoint | undefined;
}
/** One part of a turn. */
export type ContentPart = TextPart | MediaPart | ReasoningPart | RefusalPart | ToolCallPart | ToolResultPart;

/**
 * A turn in the conversation. Tool results are in user turns. A turn with the role `system` is part of
 * the conversation, not of the system prompt.
 */
export interface ConversationTurn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly ContentPart[];
}

/** The namespace of a tool, and its name in this namespace. */
export interface NamespacedToolName {
  readonly namespace: string;
  readonly name: string;
}

/** A tool with a JSON schema. */
export interface FunctionTool {
  readonly kind: 'function';
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema: JsonObject;
  readonly strict?: boolean | undefined;
  readonly cache?: CacheBreakpoint | undefined;
  /** Set if the tool was declared in a namespace. */
  readonly within?: NamespacedToolName | undefined;
}
/** A tool whose input is raw text. */
export interface FreeformTool {
  readonly kind: 'freeform';
  readonly name: string;
  readonly description?: string | undefined;
  readonly grammar?: { readonly syntax: string; readonly definition: string } | undefined;
  readonly cache?: CacheBreakpoint | undefined;
  /** Set if the tool was declared in a namespace. */
  readonly within?: NamespacedToolName | undefined;
}
/** A tool that the client declares. */
export type ToolDefinition = FunctionTool | FreeformTool;

/** Whether the model may call tools, and which ones. */
export type ToolChoice =
  | { readonly mode: 'auto' | 'none' | 'required'; readonly allowed?: readonly string[] | undefined }
  | { readonly mode: 'named'; readonly name: string };

/** The format of the response. */
export type ResponseFormat =
  | { readonly type: 'json' }
  | {
      readonly type: 'schema';
      readonly name?: string | undefined;
      readonly description?: string | undefined;
      readonly schema: JsonObject;
      readonly strict?: boolean | undefined;
    };

/** How much the model should reason. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** The reasoning settings of a request. */
export interface ReasoningSettings {
  readonly effort?: ReasoningEffort | undefined;
  /** Maximum tokens for reasoning. */
  readonly budget?: number | undefined;
  /** Whether the provider decides how long to reason. */
  readonly adaptive?: true | undefined;
  /** Requested summary of the reasoning: auto, concise or detailed. */
  readonly summary?: string | undefined;
}

/** The sampling settings of a request. */
export interface SamplingSettings {
  readonly temperature?: JsonNumber | undefined;
  readonly topP?: JsonNumber | undefined;
  readonly topK?: JsonNumber | undefined;
  readonly presencePenalty?: JsonNumber | undefined;
  readonly frequencyPenalty?: JsonNumber | undefined;
  readonly seed?: JsonNumber | undefined;
}

/** A request in the dialect-independent form. */
export interface CanonicalRequest {
  readonly dialect: DialectName;
  readonly model: string;
  readonly stream: boolean;
  /** Whether the client requests a usage frame in a Chat stream. */
  readonly streamUsage: boolean;
  readonly system: readonly TextPart[];
  readonly turns: readonly ConversationTurn[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice?: ToolChoice | undefined;
  readonly parallelTools?: boolean | undefined;
  readonly format?: ResponseFormat | undefined;
  readonly verbosity?: string | undefined;
  readonly maxTokens?: JsonNumber | undefined;
  readonly stop: readonly string[];
  readonly sampling: SamplingSettings;
  readonly reasoning?: ReasoningSettings | undefined;
  /** The caller's id of its end user. */
  readonly user?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly cacheKey?: string | undefined;
  readonly serviceTier?: string | undefined;
  /** Required features, with the path of the field that requires each. */
  readonly requiredFeatures: ReadonlyMap<RequiredFeature, string>;
  /** Paths of fields that the canonical request cannot represent. */
  readonly dropped: readonly string[];
}

/**
 * Returns the required features of a request that a target does not support: those that are not in `supported`, and
 * those in `unsupported`. Each entry contains the path of the request field that requires the feature.
 * @example
 * const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
 * const { request } = normalizeIdeRequest({ model: 'gpt-5', messages: [{ role: 'user', content: [image] }] });
 * listUnsupportedFeatures(request, new Set(['file'])); // [{ need: 'image', param: 'messages[0].content[0]' }]
 */
export function listUnsupportedFeatures(
  request: CanonicalRequest,
  supported: ReadonlySet<RequiredFeature>,
  unsupported: readonly RequiredFeature[] = [],
): readonly { readonly need: RequiredFeature; readonly param: string }[] {
  return [...request.requiredFeatures]
    .filter(([need]) => !supported.has(need) || unsupported.includes(need))
    .map(([need, param]) => ({ need, param }));
}

/**
 * Returns the fault for a request that no target supports.
 * @example
 * createUnsupportedFeatureFault({ need: 'background', param: 'background' }).code; // 'unsupported_parameter'
 */
export function createUnsupportedFeatureFault({
  need,
  param,
}: {
  readonly need: RequiredFeature;
  readonly param: string;
}): Fault {
  return new Fault(
    'unsupported_parameter',
    `\`${param}\` (${need}) cannot be translated to the API of this provider. Remove the field, or choose a model whose provider has the API that you call.`,
    { param },
  );
}
