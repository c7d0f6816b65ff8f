import type { JsonObject } from '@floe/contract/json';
import { reportUnusedReasoning, resolveReasoningEffort } from '../adapt-reasoning-for-target.ts';
import {
  adaptToolsForTarget,
  applyQuirks,
  joinSystemText,
  joinToolResultText,
  reportDroppedFields,
  reportDroppedReasoningSummary,
  reportUnsupportedFormatFields,
  toFunctionDefinition,
} from '../adapt-request-for-target.ts';
import type { RequestWriteOptions, WrittenRequest } from '../dialect.ts';
import { type PartCapabilities, reportUnsupportedPartFields } from '../part-capabilities.ts';
import type {
  CanonicalRequest,
  ContentPart,
  ConversationTurn,
  MediaPart,
  ToolDefinition,
  ToolResultPart,
} from '../request.ts';
import { resolveThinkingBudget } from '../thinking-budget.ts';
import { createCallIdFormatter, toProviderToolName } from '../tool-identifiers.ts';

const PART_CAPABILITIES: PartCapabilities = { detail: true, names: true };
const CALL_ID_MAX = 64;
const RENAMES = { top_p: 'p', top_k: 'k', stop: 'stop_sequences' } as const;
const PENALTY = { min: 0, max: 1 } as const;
const CLAMPS = {
  temperature: { min: 0, max: 1 },
  presence_penalty: PENALTY,
  frequency_penalty: PENALTY,
} as const;
const MAX_STOPS = 5;

interface MessageWriter {
  readonly dropped: Set<string>;
  readonly callId: (id: string) => string;
}

/** Writes a Cohere Chat request (version 2). */
export function writeRequest(request: CanonicalRequest, options: RequestWriteOptions = {}): WrittenRequest {
  const dropped = new Set<string>();
  const writer = { dropped, callId: createCallIdFormatter(CALL_ID_MAX, options.formatCallId) };
  const { sampling } = request;
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
  reportUnsupportedPartFields(request, PART_CAPABILITIES, dropped);
  reportUnsupportedFormatFields(request, ['description', 'strict'], dropped);
  reportDroppedReasoningSummary(request, dropped);
  const body: JsonObject = {
    model: options.model ?? request.model,
    messages: writeMessages(request, writer),
    ...writeTools(request, options, dropped),
    response_format: writeFormat(request),
    max_tokens: request.maxTokens,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    seed: sampling.seed,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    stop: request.stop.length > 0 ? request.stop : undefined,
    thinking: writeThinking(request, options, dropped),
    stream: options.stream ?? request.stream,
  };
  const rules: RequestWriteOptions = {
    ...options,
    renames: { ...RENAMES, ...options.renames },
    clamps: { ...CLAMPS, ...options.clamps },
    maxStopSequences: options.maxStopSequences ?? MAX_STOPS,
  };
  return { body: applyQuirks(body, rules, dropped), dropped };
}

function writeMessages(request: CanonicalRequest, writer: MessageWriter): JsonObject[] {
  const system = request.system.map(({ text }) => text).filter((text) => text.trim() !== '');
  const messages: JsonObject[] = system.length > 0 ? [{ role: 'system', content: system.join('\n\n') }] : [];
  for (const turn of request.turns) messages.push(...writeTurn(turn, writer));
  // A conversation needs at least one user message.
  return messages.some(({ role }) => role === 'user')
    ? messages
    : [...messages, { role: 'user', content: system.length > 0 ? '.' : '' }];
}

function writeTurn(turn: ConversationTurn, writer: MessageWriter): JsonObject[] {
  if (turn.role === 'assistant') return writeAssistant(turn.parts, writer);
  if (turn.role === 'system') {
    const content = joinSystemText(turn.parts.filter((part) => part.type === 'text'));
    return content.trim() === '' ? [] : [{ role: 'system', content }];
  }
  const results = turn.parts.filter((part) => part.type === 'result');
  const rest = turn.parts.flatMap((part) => {
    // Results contain only text, so their images are added to the user message.
    if (part.type === 'result') return part.parts.filter((inner) => inner.type === 'media').map(writeMedia);
    return writeUserPart(part);
  });
  return [
    ...results.map((part) => writeResult(part, writer)),
    ...(rest.length === 0 ? [] : [{ role: 'user', content: writeContent(rest) }]),
  ];
}

function writeContent(blocks: readonly JsonObject[]): string | readonly JsonObject[] {
  const [only] = blocks;
  return blocks.length === 1 && typeof only?.['text'] === 'string' ? only['text'] : blocks;
}

function writeUserPart(part: ContentPart): JsonObject[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  return part.type === 'media' ? [writeMedia(part)] : [];
}

function writeMedia({ source, detail }: MediaPart): JsonObject {
  const url =
    'data' in source ? `data:${source.mime};base64,${source.data}` : 'url' in source ? source.url : source.id;
  return { type: 'image_url', image_url: { url, detail } };
}

/**
 * Text before calls becomes the tool plan. Reasoning of other providers is dropped, because the dialect has
 * no member for their seals.
 */
function writeAssistant(parts: readonly ContentPart[], writer: MessageWriter): JsonObject[] {
  const blocks: JsonObject[] = [];
  const said: string[] = [];
  const tool_calls: JsonObject[] = [];
  for (const part of parts) {
    if (part.type === 'reasoning') {
      if (part.seal !== undefined) writer.dropped.add('reasoning.seal').add('reasoning');
      else if (part.text !== '') blocks.push({ type: 'thinking', thinking: part.text });
    } else if (part.type === 'text' || part.type === 'refusal') {
      if (part.text !== '') said.push(part.text);
    } else if (part.type === 'call') {
      const args = part.freeform ? JSON.stringify({ input: part.input }) : part.input || '{}';
      const made = { name: toProviderToolName(part.name), arguments: args };
      tool_calls.push({ id: writer.callId(part.id), type: 'function', function: made });
    }
  }
  const text = said.join('');
  if (tool_calls.length > 0)
    return [
      {
        role: 'assistant',
        tool_plan: text === '' ? undefined : text,
        content: blocks.length > 0 ? blocks : undefined,
        tool_calls,
      },
    ];
  if (text !== '') blocks.push({ type: 'text', text });
  return blocks.length === 0 ? [] : [{ role: 'assistant', content: writeContent(blocks) }];
}

function writeResult(part: ToolResultPart, writer: MessageWriter): JsonObject {
  const content = `${part.isError ? 'Error: ' : ''}${joinToolResultText(part)}`;
  return { role: 'tool', tool_call_id: writer.callId(part.id), content };
}

/** The dialect cannot require a specific tool. Only that tool is sent, and a call is required. */
function writeTools(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): JsonObject {
  const rules: RequestWriteOptions = { ...options, tools: [...(options.tools ?? []), 'named-filters'] };
  const { tools, choice } = adaptToolsForTarget(request, rules, dropped, false);
  if (tools.length === 0) return {};
  return {
    tools: tools.map((tool) => writeTool(tool, dropped)),
    tool_choice: choice?.mode === 'required' ? 'REQUIRED' : choice?.mode === 'none' ? 'NONE' : undefined,
  };
}

function writeTool(tool: ToolDefinition, dropped: Set<string>): JsonObject {
  const name = toProviderToolName(tool.name);
  if (tool.kind === 'freeform') {
    const { description, schema } = toFunctionDefinition(tool);
    return { type: 'function', function: { name, description, parameters: schema } };
  }
  // Strict mode applies to all tools at once.
  if (tool.strict === true) dropped.add('tools.strict');
  return { type: 'function', function: { name, description: tool.description, parameters: tool.schema } };
}

/** The schema is next to the type, without a name. */
function writeFormat({ format }: CanonicalRequest): JsonObject | undefined {
  if (format === undefined) return undefined;
  return { type: 'json_object', json_schema: format.type === 'schema' ? format.schema : undefined };
}

function writeThinking(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): JsonObject | undefined {
  if (request.reasoning === undefined) return undefined;
  if ((options.reasoningStyle ?? 'budget') === 'none') {
    dropped.add('reasoning');
    return undefined;
  }
  reportUnusedReasoning(request, 'budget', dropped);
  const budget = resolveThinkingBudget(request, dropped);
  if (resolveReasoningEffort(request, options, dropped) === 'none' || budget === 0)
    return { type: 'disabled' };
  return { type: 'enabled', token_budget: budget };
}
