import type { Json, JsonNumber, JsonObject } from '@floe/contract/json';
import { reportUnusedReasoning, resolveReasoningEffort } from '../adapt-reasoning-for-target.ts';
import {
  adaptToolsForTarget,
  applyQuirks,
  ensureNonEmptyConversation,
  joinSystemText,
  joinToolResultText,
  keepSupportedHint,
  OPENAI_SERVICE_TIERS,
  reportDroppedFields,
  resolvePromptCacheKey,
  resolveSealValue,
  resolveServiceTier,
  toFunctionDefinition,
} from '../adapt-request-for-target.ts';
import type { RequestWriteOptions, WrittenRequest } from '../dialect.ts';
import { asNumber } from '../json-narrowing.ts';
import { type PartCapabilities, reportUnsupportedPartFields } from '../part-capabilities.ts';
import { formatDataUrl } from '../read-media.ts';
import type {
  CanonicalRequest,
  ContentPart,
  ConversationTurn,
  MediaPart,
  ReasoningPart,
  ToolCallPart,
  ToolDefinition,
  ToolResultPart,
} from '../request.ts';
import { createCallIdFormatter, toProviderToolName } from '../tool-identifiers.ts';

const PART_CAPABILITIES: PartCapabilities = { detail: true, names: true };
/** The API rejects a `call_id` with more than 64 characters and `max_output_tokens` below 16. */
const CALL_ID_MAX = 64;
const MIN_OUTPUT_TOKENS = 16;

/** The content parts of a message. All other content becomes separate items. */
type MessagePart = Extract<ContentPart, { type: 'text' | 'refusal' | 'media' }>;

interface ItemWriter {
  readonly options: RequestWriteOptions;
  readonly dropped: Set<string>;
  readonly callId: (id: string) => string;
  /** Ids of calls that were written as custom calls. Their results must be custom too. */
  readonly custom: Set<string>;
}

/**
 * Converts a canonical request to a request of the Responses API. The request neither refers to stored
 * responses nor is stored. The system prompt is in `instructions`, and each function tool states `strict`.
 */
export function writeRequest(original: CanonicalRequest, options: RequestWriteOptions = {}): WrittenRequest {
  const request = ensureNonEmptyConversation(original);
  const dropped = new Set<string>();
  const callId = createCallIdFormatter(CALL_ID_MAX, options.formatCallId);
  const writer: ItemWriter = { options, dropped, callId, custom: new Set() };
  const { temperature, topP, ...others } = request.sampling;
  reportDroppedFields(
    {
      top_k: others.topK,
      presence_penalty: others.presencePenalty,
      frequency_penalty: others.frequencyPenalty,
      seed: others.seed,
      stop: request.stop.length > 0 ? request.stop : undefined,
    },
    dropped,
  );
  reportUnsupportedPartFields(request, PART_CAPABILITIES, dropped);
  const seals = typeof options.sealOrigin === 'string';
  const body: JsonObject = {
    model: options.model ?? request.model,
    instructions: request.system.length > 0 ? joinSystemText(request.system) : undefined,
    input: request.turns.flatMap((turn) => writeTurn(turn, writer)),
    ...writeTools(request, options, dropped),
    text: writeTextSettings(request, options, dropped),
    max_output_tokens: clampOutputTokens(request.maxTokens, dropped),
    temperature,
    top_p: topP,
    reasoning: writeReasoning(request, options, dropped),
    include: seals ? ['reasoning.encrypted_content'] : undefined,
    store: false,
    safety_identifier: keepSupportedHint(request.user, 'user', options, dropped),
    metadata: keepSupportedHint(request.metadata, 'metadata', options, dropped),
    prompt_cache_key: resolvePromptCacheKey(request, options, dropped),
    service_tier: resolveServiceTier(request, OPENAI_SERVICE_TIERS, options, dropped),
    stream: options.stream ?? request.stream,
  };
  return { body: applyQuirks(body, options, dropped), dropped };
}

function clampOutputTokens(limit: JsonNumber | undefined, dropped: Set<string>): JsonNumber | undefined {
  if ((asNumber(limit) ?? MIN_OUTPUT_TOKENS) >= MIN_OUTPUT_TOKENS) return limit;
  dropped.add('max_output_tokens.clamped');
  return MIN_OUTPUT_TOKENS;
}

function writeTurn(turn: ConversationTurn, writer: ItemWriter): JsonObject[] {
  const items: JsonObject[] = [];
  let said: MessagePart[] = [];
  const flush = (): void => {
    if (said.length > 0) items.push({ type: 'message', role: turn.role, content: writeContent(turn, said) });
    said = [];
  };
  for (const part of turn.parts) {
    switch (part.type) {
      case 'text':
      case 'refusal':
      case 'media':
        said.push(part);
        break;
      default:
        flush();
        items.push(...writeItem(part, writer));
    }
  }
  flush();
  return items;
}

/**
 * Writes plain text if possible. Assistant parts require the id and status of their response, and strict
 * providers reject parts without them.
 */
function writeContent({ role }: ConversationTurn, said: readonly MessagePart[]): Json {
  const words = said.filter((part) => part.type !== 'media');
  if (role === 'assistant' || (words.length === said.length && words.length === 1))
    return words.map((part) => part.text).join('');
  return said.map((part) =>
    part.type === 'media' ? writeMedia(part) : { type: 'input_text', text: part.text },
  );
}

function writeItem(part: ReasoningPart | ToolCallPart | ToolResultPart, writer: ItemWriter): JsonObject[] {
  if (part.type === 'reasoning') {
    const sealed = resolveSealValue(part, 'responses', writer.options, writer.dropped);
    if (sealed === undefined) {
      writer.dropped.add('reasoning');
      return [];
    }
    const summary = part.text === '' ? [] : [{ type: 'summary_text', text: part.text }];
    return [{ type: 'reasoning', summary, encrypted_content: sealed }];
  }
  const call_id = writer.callId(part.id);
  if (part.type === 'result') {
    const type = writer.custom.has(part.id) ? 'custom_tool_call_output' : 'function_call_output';
    return [{ type, call_id, output: writeResultOutput(part) }];
  }
  const name = toProviderToolName(part.name);
  if (part.freeform && writer.options.tools?.includes('freeform')) {
    writer.custom.add(part.id);
    return [{ type: 'custom_tool_call', call_id, name, input: part.input }];
  }
  const text = part.freeform ? JSON.stringify({ input: part.input }) : part.input;
  return [{ type: 'function_call', call_id, name, arguments: text }];
}

/** Responses has no member for a failed result, so the text states it. */
function writeResultOutput(part: ToolResultPart): Json {
  const prefix = part.isError ? 'Error: ' : '';
  if (part.parts.every((inner) => inner.type === 'text')) return prefix + joinToolResultText(part);
  const output = part.parts.map((inner, index) =>
    inner.type === 'text'
      ? { type: 'input_text', text: index === 0 ? prefix + inner.text : inner.text }
      : writeMedia(inner),
  );
  const needsPart = part.isError && part.parts[0]?.type !== 'text';
  return needsPart ? [{ type: 'input_text', text: 'Error:' }, ...output] : output;
}

function writeMedia(part: MediaPart): JsonObject {
  const { source } = part;
  const url = 'data' in source ? formatDataUrl(source) : 'url' in source ? source.url : undefined;
  const id = 'id' in source ? source.id : undefined;
  if (part.kind === 'image')
    return { type: 'input_image', image_url: url, file_id: id, detail: part.detail ?? 'auto' };
  const inline = 'data' in source;
  return {
    type: 'input_file',
    file_data: inline ? url : undefined,
    file_url: inline ? undefined : url,
    file_id: id,
    filename: part.name ?? (inline ? 'file.pdf' : undefined),
  };
}

function writeTools(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): JsonObject {
  const { tools, choice } = adaptToolsForTarget(request, options, dropped, true);
  if (tools.length === 0) return {};
  const freeform = options.tools?.includes('freeform') === true;
  const reference = (name: string): JsonObject => {
    const custom = freeform && tools.some((tool) => tool.name === name && tool.kind === 'freeform');
    return { type: custom ? 'custom' : 'function', name: toProviderToolName(name) };
  };
  let tool_choice: Json | undefined;
  if (choice?.mode === 'named') tool_choice = reference(choice.name);
  else if (choice?.allowed)
    tool_choice = { type: 'allowed_tools', mode: choice.mode, tools: choice.allowed.map(reference) };
  else tool_choice = choice?.mode;
  return {
    tools: tools.map((tool) => writeTool(tool, freeform)),
    tool_choice,
    parallel_tool_calls: request.parallelTools,
  };
}

/** `strict` must be explicit: it defaults to true, which makes optional parameters required. */
function writeTool(tool: ToolDefinition, freeform: boolean): JsonObject {
  const name = toProviderToolName(tool.name);
  if (tool.kind === 'function')
    return {
      type: 'function',
      name,
      description: tool.description,
      parameters: tool.schema,
      strict: tool.strict ?? false,
    };
  if (freeform)
    return {
      type: 'custom',
      name,
      description: tool.description,
      format: tool.grammar ? { type: 'grammar', ...tool.grammar } : undefined,
    };
  const { description, schema } = toFunctionDefinition(tool);
  return { type: 'function', name, description, parameters: schema, strict: false };
}

function writeTextSettings(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): JsonObject | undefined {
  const verbosity = keepSupportedHint(request.verbosity, 'verbosity', options, dropped);
  const { format } = request;
  if (format === undefined) return verbosity === undefined ? undefined : { verbosity };
  if (format.type === 'json') return { verbosity, format: { type: 'json_object' } };
  return {
    verbosity,
    format: {
      type: 'json_schema',
      name: format.name ?? 'answer',
      description: format.description,
      schema: format.schema,
      strict: format.strict ?? false,
    },
  };
}

function writeReasoning(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): JsonObject | undefined {
  if (request.reasoning === undefined) return undefined;
  if (options.reasoningStyle === 'none') {
    dropped.add('reasoning');
    return undefined;
  }
  // Clients of Messages show thinking, which requires a summary.
  const shown = request.dialect === 'messages' && request.reasoning.effort !== 'none' ? 'auto' : undefined;
  reportUnusedReasoning(request, 'effort', dropped);
  const effort = resolveReasoningEffort(request, options, dropped);
  const summary = request.reasoning.summary ?? shown;
  return effort === undefined && summary === undefined ? undefined : { effort, summary };
}
