import { type Json, type JsonObject, mayHoldInexact } from '@floe/contract/json';
import type { UpstreamOptions, Written } from '../dialect.ts';
import { isObject, parseExactJson, says } from '../json-read.ts';
import { reportParts } from '../part-losses.ts';
import type { Ask, CallPart, MediaPart, Part, ResultPart, Tool, ToolChoice, Turn } from '../request.ts';
import { isMadeCallId, wireName } from '../tool-names.ts';
import {
  applyQuirks,
  asReminder,
  budgetFor,
  dropSaid,
  effortFor,
  freeformSchema,
  joinText,
  planTools,
  reportFormat,
  reportReasoningSummary,
  resultText,
  sealFor,
  withConversation,
} from '../write-plan.ts';

/** What the service's schema allows. */
const MAX_STOPS = 5;
const MIME: Readonly<Record<MediaPart['kind'], string>> = {
  image: 'image/jpeg',
  file: 'application/pdf',
  audio: 'audio/wav',
};

interface ContentWriter {
  readonly options: UpstreamOptions;
  readonly dropped: Set<string>;
  /** Tool name by call id: results name their tool. */
  readonly names: Map<string, string>;
}

/** Writes a generateContent request; model and streaming stand in the URL. */
export function writeAsk(asked: Ask, options: UpstreamOptions = {}): Written {
  const ask = withConversation(asked);
  const dropped = new Set<string>();
  const writer: ContentWriter = { options, dropped, names: new Map() };
  dropSaid(
    {
      user: ask.user,
      metadata: ask.metadata,
      prompt_cache_key: ask.cacheKey,
      service_tier: ask.serviceTier,
      verbosity: ask.verbosity,
      parallel_tool_calls: ask.parallelTools === false ? false : undefined,
    },
    dropped,
  );
  reportParts(ask, {}, dropped);
  reportReasoningSummary(ask, dropped);
  const rules = { ...options, maxStops: options.maxStops ?? MAX_STOPS };
  const config = applyQuirks(configOf(ask, options, dropped), rules, dropped);
  reportFormat(ask, ['description'], dropped);
  const body: JsonObject = {
    systemInstruction: ask.system.length > 0 ? { parts: [{ text: joinText(ask.system) }] } : undefined,
    contents: writeContents(ask, writer),
    ...toolsOf(ask, options, dropped),
    generationConfig: Object.keys(config).length > 0 ? config : undefined,
  };
  return { body: applyQuirks(body, options, dropped), dropped };
}

function writeContents(ask: Ask, writer: ContentWriter): JsonObject[] {
  const contents: { role: string; parts: JsonObject[] }[] = [];
  for (const given of ask.turns) {
    const turn = given.role === 'system' ? asReminder(given) : given;
    const parts = turn.role === 'assistant' ? writeModelTurn(turn, writer) : writeUserTurn(turn, writer);
    if (parts.length === 0) continue;
    const role = turn.role === 'assistant' ? 'model' : 'user';
    const last = contents.at(-1);
    // Results answer the call turn before them and stand alone; other neighbours of one role merge.
    if (last?.role === role && !isResults(last.parts) && !isResults(parts)) last.parts.push(...parts);
    else contents.push({ role, parts });
  }
  return contents.map(({ role, parts }) => ({ role, parts }));
}

function isResults(parts: readonly JsonObject[]): boolean {
  return parts[0] !== undefined && 'functionResponse' in parts[0];
}

/** A proof goes back on the part it came with: the one behind its reasoning part, or an empty last one. */
function writeModelTurn(turn: Turn, writer: ContentWriter): JsonObject[] {
  const parts: JsonObject[] = [];
  let thoughtSignature: string | undefined;
  let firstCall = true;
  for (const part of turn.parts) {
    switch (part.type) {
      case 'reasoning':
        if (thoughtSignature !== undefined) parts.push({ text: '', thoughtSignature });
        thoughtSignature = sealFor(part, 'gemini', writer.options, writer.dropped);
        if (part.seal === undefined) writer.dropped.add('reasoning');
        continue;
      case 'call': {
        const proof = thoughtSignature ?? (firstCall ? writer.options.unsealedCall : undefined);
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

function writeCall(part: CallPart, writer: ContentWriter): JsonObject {
  const name = wireName(part.name);
  writer.names.set(part.id, name);
  const parsed = part.freeform ? { input: part.input } : parseExactJson(part.input);
  if (!isObject(parsed)) writer.dropped.add('tool_calls.arguments.malformed');
  return { id: idOf(part.id), name, args: isObject(parsed) ? parsed : { input: part.input } };
}

function idOf(id: string): string | undefined {
  return isMadeCallId(id) || id === '' ? undefined : id;
}

function writeUserTurn(turn: Turn, writer: ContentWriter): JsonObject[] {
  const responses: JsonObject[] = [];
  const rest: JsonObject[] = [];
  for (const part of turn.parts) {
    if (part.type !== 'result') {
      rest.push(...writePlain(part));
      continue;
    }
    const name = writer.names.get(part.id) ?? 'unknown';
    responses.push({ functionResponse: { id: idOf(part.id), name, response: responseOf(part) } });
    rest.push(...part.parts.flatMap((inner) => (inner.type === 'media' ? writePlain(inner) : [])));
  }
  return [...responses, ...rest];
}

/**
 * A result must be an object: a JSON object as it is, anything else as text under `output` or `error`. The service
 * keeps numbers of an object as doubles, so one with other numbers travels as the text it is, too.
 */
function responseOf(part: ResultPart): JsonObject {
  const text = resultText(part);
  if (part.isError) return { error: text };
  const parsed = mayHoldInexact(text) ? undefined : parseExactJson(text);
  return isObject(parsed) ? parsed : { output: text };
}

function writePlain(part: Part): JsonObject[] {
  if (part.type === 'text') return [{ text: part.text }];
  if (part.type !== 'media') return [];
  const { source } = part;
  if ('data' in source) return [{ inlineData: { mimeType: source.mime, data: source.data } }];
  const fileUri = 'url' in source ? source.url : source.id;
  return [{ fileData: { fileUri, mimeType: MIME[part.kind] } }];
}

function toolsOf(ask: Ask, options: UpstreamOptions, dropped: Set<string>): JsonObject {
  const { tools, choice } = planTools(ask, options, dropped, true);
  if (tools.length === 0) return {};
  return {
    tools: [{ functionDeclarations: tools.map((tool) => writeTool(tool, dropped)) }],
    toolConfig: choice === undefined ? undefined : { functionCallingConfig: writeChoice(choice, dropped) },
  };
}

function writeChoice(choice: ToolChoice, dropped: Set<string>): JsonObject {
  if (choice.mode === 'named') return { mode: 'ANY', allowedFunctionNames: [wireName(choice.name)] };
  if (choice.mode === 'required') return { mode: 'ANY', allowedFunctionNames: choice.allowed?.map(wireName) };
  if (choice.allowed) dropped.add('tool_choice.allowed_tools');
  return { mode: choice.mode === 'none' ? 'NONE' : 'AUTO' };
}

function writeTool(tool: Tool, dropped: Set<string>): JsonObject {
  const name = wireName(tool.name);
  if (tool.kind === 'freeform') {
    const { description, schema } = freeformSchema(tool);
    return { name, description, parametersJsonSchema: schema };
  }
  if (tool.strict === true) dropped.add('tools.strict');
  const schema = withoutMeta(tool.schema);
  return {
    name,
    description: tool.description,
    parametersJsonSchema: takesNothing(schema) ? undefined : schema,
  };
}

/** An object of no members, which is refused as a schema: such a function has none. */
function takesNothing({ type, properties, required, additionalProperties, ...rest }: JsonObject): boolean {
  if (type !== 'object' || says(properties) || says(required) || Object.keys(rest).length > 0) return false;
  return additionalProperties === undefined || additionalProperties === false;
}

function withoutMeta(schema: JsonObject): JsonObject {
  const { $schema: _, ...rest } = schema;
  return rest;
}

function configOf(ask: Ask, options: UpstreamOptions, dropped: Set<string>): JsonObject {
  const { sampling, format } = ask;
  return {
    maxOutputTokens: ask.maxTokens,
    temperature: sampling.temperature,
    topP: sampling.topP,
    topK: sampling.topK,
    seed: sampling.seed,
    presencePenalty: sampling.presencePenalty,
    frequencyPenalty: sampling.frequencyPenalty,
    stopSequences: ask.stop.length > 0 ? ask.stop : undefined,
    responseMimeType: format === undefined ? undefined : 'application/json',
    responseJsonSchema: format?.type === 'schema' ? withoutMeta(format.schema) : undefined,
    thinkingConfig: thinkingOf(ask, options, dropped),
  };
}

const LEVELS: Readonly<Record<string, Json>> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
};

function thinkingOf(ask: Ask, options: UpstreamOptions, dropped: Set<string>): JsonObject | undefined {
  if (ask.reasoning === undefined) return undefined;
  const effort = effortFor(ask, options, dropped);
  switch (options.think ?? 'budget') {
    case 'level':
      return {
        includeThoughts: effort !== 'none',
        thinkingLevel: effort === undefined ? undefined : (LEVELS[effort] ?? 'HIGH'),
      };
    case 'budget': {
      const adaptive = ask.reasoning.adaptive && ask.reasoning.effort === undefined;
      const thinkingBudget = adaptive ? -1 : budgetFor(ask);
      return { includeThoughts: thinkingBudget !== 0, thinkingBudget };
    }
    default:
      dropped.add('reasoning');
      return undefined;
  }
}
