import { type JsonObject, mayContainInexactNumbers } from '@floe/contract/json';
import {
  adaptToolsForTarget,
  applyQuirks,
  ensureNonEmptyConversation,
  joinSystemText,
  joinToolResultText,
  reportDroppedFields,
  reportDroppedReasoningSummary,
  reportUnsupportedFormatFields,
  resolveSealValue,
  toFunctionDefinition,
  toReminderTurn,
} from '../adapt-request-for-target.ts';
import type { RequestWriteOptions, WrittenRequest } from '../dialect.ts';
import { EmbeddedJsonParser } from '../embedded-json.ts';
import { isJsonObject, isNonEmpty } from '../json-narrowing.ts';
import { findMediaTypeOfUrl } from '../media-types.ts';
import { reportUnsupportedPartFields } from '../part-capabilities.ts';
import type {
  CanonicalRequest,
  ContentPart,
  ConversationTurn,
  MediaPart,
  ToolCallPart,
  ToolChoice,
  ToolDefinition,
  ToolResultPart,
} from '../request.ts';
import { isGeneratedCallId, toProviderToolName } from '../tool-identifiers.ts';
import { writeGeminiThinkingConfig } from './thinking-config.ts';

/** Limit of the service's schema. */
const MAX_STOPS = 5;
const DEFAULT_MEDIA_TYPES: Readonly<Record<MediaPart['kind'], string>> = {
  image: 'image/jpeg',
  file: 'application/pdf',
  audio: 'audio/wav',
};

interface ContentWriter {
  readonly options: RequestWriteOptions;
  readonly dropped: Set<string>;
  /** Tool names by call id. Results require the name of their tool. */
  readonly names: Map<string, string>;
  readonly embedded: EmbeddedJsonParser;
}

/**
 * Writes a generateContent request. The model and streaming are part of the URL, not of the body.
 */
export function writeRequest(original: CanonicalRequest, options: RequestWriteOptions = {}): WrittenRequest {
  const request = ensureNonEmptyConversation(original);
  const dropped = new Set<string>();
  const writer: ContentWriter = { options, dropped, names: new Map(), embedded: new EmbeddedJsonParser() };
  reportDroppedFields(
    {
      user: request.user,
      metadata: request.metadata,
      prompt_cache_key: request.cacheKey,
      service_tier: request.serviceTier,
      verbosity: request.verbosity,
      parallel_tool_calls: request.parallelTools === false ? false : undefined,
    },
    dropped,
  );
  reportUnsupportedPartFields(request, {}, dropped);
  reportDroppedReasoningSummary(request, dropped);
  const rules = { ...options, maxStopSequences: options.maxStopSequences ?? MAX_STOPS };
  const config = applyQuirks(writeGenerationConfig(request, options, dropped), rules, dropped);
  reportUnsupportedFormatFields(request, ['description'], dropped);
  const body: JsonObject = {
    systemInstruction:
      request.system.length > 0 ? { parts: [{ text: joinSystemText(request.system) }] } : undefined,
    contents: writeContents(request, writer),
    ...writeTools(request, options, dropped),
    generationConfig: Object.keys(config).length > 0 ? config : undefined,
  };
  return { body: applyQuirks(body, options, dropped), dropped };
}

function writeContents(request: CanonicalRequest, writer: ContentWriter): JsonObject[] {
  const contents: { role: string; parts: JsonObject[] }[] = [];
  for (const given of request.turns) {
    const turn = given.role === 'system' ? toReminderTurn(given) : given;
    const parts = turn.role === 'assistant' ? writeModelTurn(turn, writer) : writeUserTurn(turn, writer);
    if (parts.length === 0) continue;
    const role = turn.role === 'assistant' ? 'model' : 'user';
    const last = contents.at(-1);
    // Results must be a separate turn after their calls. Other adjacent turns of one role are merged.
    if (last?.role === role && !isResults(last.parts) && !isResults(parts)) last.parts.push(...parts);
    else contents.push({ role, parts });
  }
  return contents.map(({ role, parts }) => ({ role, parts }));
}

function isResults(parts: readonly JsonObject[]): boolean {
  return parts[0] !== undefined && 'functionResponse' in parts[0];
}

/** A seal is written on the part that it came with: the part after its reasoning, or an empty last part. */
function writeModelTurn(turn: ConversationTurn, writer: ContentWriter): JsonObject[] {
  const parts: JsonObject[] = [];
  let thoughtSignature: string | undefined;
  let firstCall = true;
  for (const part of turn.parts) {
    switch (part.type) {
      case 'reasoning':
        if (thoughtSignature !== undefined) parts.push({ text: '', thoughtSignature });
        thoughtSignature = resolveSealValue(part, 'gemini', writer.options, writer.dropped);
        if (thoughtSignature === undefined) writer.dropped.add('reasoning');
        continue;
      case 'call': {
        const proof = thoughtSignature ?? (firstCall ? writer.options.unsealedCallProof : undefined);
        parts.push({ functionCall: writeCall(part, writer), thoughtSignature: proof });
        firstCall = false;
        break;
      }
      case 'text':
      case 'refusal':
        parts.push({ text: part.text, thoughtSignature });
        break;
      default:
        parts.push(...writePlain(part));
    }
    thoughtSignature = undefined;
  }
  if (thoughtSignature !== undefined) parts.push({ text: '', thoughtSignature });
  return parts;
}

function writeCall(part: ToolCallPart, writer: ContentWriter): JsonObject {
  const name = toProviderToolName(part.name);
  writer.names.set(part.id, name);
  const args = part.freeform
    ? { input: part.input }
    : writer.embedded.parseArguments(part.input, writer.dropped);
  return { id: providerCallId(part.id), name, args };
}

function providerCallId(id: string): string | undefined {
  return isGeneratedCallId(id) || id === '' ? undefined : id;
}

function writeUserTurn(turn: ConversationTurn, writer: ContentWriter): JsonObject[] {
  const responses: JsonObject[] = [];
  const rest: JsonObject[] = [];
  for (const part of turn.parts) {
    if (part.type !== 'result') {
      rest.push(...writePlain(part));
      continue;
    }
    const name = writer.names.get(part.id) ?? 'unknown';
    responses.push({
      functionResponse: { id: providerCallId(part.id), name, response: writeFunctionResponse(part, writer) },
    });
    rest.push(...part.parts.flatMap((inner) => (inner.type === 'media' ? writePlain(inner) : [])));
  }
  return [...responses, ...rest];
}

/**
 * Writes a result, which must be an object. A JSON object is unchanged; anything else is text under `output`
 * or `error`. The service converts numbers to doubles, so an object with numbers that would change is also
 * sent as text.
 */
function writeFunctionResponse(part: ToolResultPart, writer: ContentWriter): JsonObject {
  const text = joinToolResultText(part);
  if (part.isError) return { error: text };
  const parsed = mayContainInexactNumbers(text) ? undefined : writer.embedded.parse(text);
  return isJsonObject(parsed) ? parsed : { output: text };
}

function writePlain(part: ContentPart): JsonObject[] {
  if (part.type === 'text') return [{ text: part.text }];
  if (part.type !== 'media') return [];
  const { source } = part;
  if ('data' in source) return [{ inlineData: { mimeType: source.mime, data: source.data } }];
  const fileUri = 'url' in source ? source.url : source.id;
  const mimeType = findMediaTypeOfUrl(fileUri) ?? DEFAULT_MEDIA_TYPES[part.kind];
  return [{ fileData: { fileUri, mimeType } }];
}

function writeTools(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): JsonObject {
  const { tools, choice } = adaptToolsForTarget(request, options, dropped, true);
  if (tools.length === 0) return {};
  return {
    tools: [{ functionDeclarations: tools.map((tool) => writeTool(tool, dropped)) }],
    toolConfig: choice === undefined ? undefined : { functionCallingConfig: writeChoice(choice, dropped) },
  };
}

function writeChoice(choice: ToolChoice, dropped: Set<string>): JsonObject {
  if (choice.mode === 'named')
    return { mode: 'ANY', allowedFunctionNames: [toProviderToolName(choice.name)] };
  if (choice.mode === 'required')
    return { mode: 'ANY', allowedFunctionNames: choice.allowed?.map(toProviderToolName) };
  if (choice.allowed) dropped.add('tool_choice.allowed_tools');
  return { mode: choice.mode === 'none' ? 'NONE' : 'AUTO' };
}

function writeTool(tool: ToolDefinition, dropped: Set<string>): JsonObject {
  const name = toProviderToolName(tool.name);
  if (tool.kind === 'freeform') {
    const { description, schema } = toFunctionDefinition(tool);
    return { name, description, parametersJsonSchema: schema };
  }
  if (tool.strict === true) dropped.add('tools.strict');
  const schema = withoutSchemaKeyword(tool.schema);
  return {
    name,
    description: tool.description,
    parametersJsonSchema: takesNoArguments(schema) ? undefined : schema,
  };
}

/** The service rejects an object schema without members, so such a function has no schema. */
function takesNoArguments({
  type,
  properties,
  required,
  additionalProperties,
  ...rest
}: JsonObject): boolean {
  if (type !== 'object' || isNonEmpty(properties) || isNonEmpty(required) || Object.keys(rest).length > 0)
    return false;
  return additionalProperties === undefined || additionalProperties === false;
}

function withoutSchemaKeyword(schema: JsonObject): JsonObject {
  const { $schema: _, ...rest } = schema;
  return rest;
}

function writeGenerationConfig(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): JsonObject {
  const { sampling, format } = request;
  return {
    maxOutputTokens: request.maxTokens,
    temperature: sampling.temperature,
    topP: sampling.topP,
    topK: sampling.topK,
    seed: sampling.seed,
    presencePenalty: sampling.presencePenalty,
    frequencyPenalty: sampling.frequencyPenalty,
    stopSequences: request.stop.length > 0 ? request.stop : undefined,
    responseMimeType: format === undefined ? undefined : 'application/json',
    responseJsonSchema: format?.type === 'schema' ? withoutSchemaKeyword(format.schema) : undefined,
    thinkingConfig: writeGeminiThinkingConfig(request, options, dropped),
  };
}
