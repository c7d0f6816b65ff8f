import type { Json, JsonObject } from '@floe/contract/json';
import type { UpstreamOptions, Written } from '../dialect.ts';
import { type PartWords, reportParts } from '../part-losses.ts';
import { dataUrl } from '../read-media.ts';
import type { Ask, CallPart, MediaPart, Part, ReasoningPart, ResultPart, Tool, Turn } from '../request.ts';
import { callIdWriter, wireName } from '../tool-names.ts';
import {
  applyQuirks,
  cacheKeyFor,
  dropSaid,
  effortFor,
  freeformSchema,
  hint,
  joinText,
  OPENAI_TIERS,
  planTools,
  resultText,
  sealFor,
  tierFor,
  withConversation,
} from '../write-plan.ts';

const WORDS: PartWords = { detail: true, names: true };
/** `call_id` over 64 characters is refused; `max_output_tokens` under 16 too. */
const CALL_ID_MAX = 64;
const MIN_OUTPUT_TOKENS = 16;

/** What a message is made of; other parts are items of their own. */
type SaidPart = Extract<Part, { type: 'text' | 'refusal' | 'media' }>;

interface ItemWriter {
  readonly options: UpstreamOptions;
  readonly dropped: Set<string>;
  readonly callId: (id: string) => string;
  /** Ids of calls written as custom calls: their results are custom too. */
  readonly custom: Set<string>;
}

/** Writes a Responses request: stateless, strictness always said, instructions apart. */
export function writeAsk(asked: Ask, options: UpstreamOptions = {}): Written {
  const ask = withConversation(asked);
  const dropped = new Set<string>();
  const callId = callIdWriter(CALL_ID_MAX, options.callId);
  const writer: ItemWriter = { options, dropped, callId, custom: new Set() };
  const { temperature, topP, ...others } = ask.sampling;
  dropSaid(
    {
      top_k: others.topK,
      presence_penalty: others.presencePenalty,
      frequency_penalty: others.frequencyPenalty,
      seed: others.seed,
      stop: ask.stop.length > 0 ? ask.stop : undefined,
    },
    dropped,
  );
  reportParts(ask, WORDS, dropped);
  const seals = typeof options.sealOrigin === 'string';
  const body: JsonObject = {
    model: options.model ?? ask.model,
    instructions: ask.system.length > 0 ? joinText(ask.system) : undefined,
    input: ask.turns.flatMap((turn) => writeTurn(turn, writer)),
    ...toolsOf(ask, options, dropped),
    text: textOf(ask, options, dropped),
    max_output_tokens: limitOf(ask.maxTokens, dropped),
    temperature,
    top_p: topP,
    reasoning: reasoningOf(ask, options, dropped),
    include: seals ? ['reasoning.encrypted_content'] : undefined,
    store: false,
    safety_identifier: hint(ask.user, 'user', options, dropped),
    metadata: hint(ask.metadata, 'metadata', options, dropped),
    prompt_cache_key: cacheKeyFor(ask, options, dropped),
    service_tier: tierFor(ask, OPENAI_TIERS, options, dropped),
    stream: options.stream ?? ask.stream,
  };
  return { body: applyQuirks(body, options, dropped), dropped };
}

function limitOf(limit: number | undefined, dropped: Set<string>): number | undefined {
  if (limit === undefined || limit >= MIN_OUTPUT_TOKENS) return limit;
  dropped.add('max_output_tokens.clamped');
  return MIN_OUTPUT_TOKENS;
}

function writeTurn(turn: Turn, writer: ItemWriter): JsonObject[] {
  const items: JsonObject[] = [];
  let said: SaidPart[] = [];
  const flush = (): void => {
    if (said.length > 0) items.push({ type: 'message', role: turn.role, content: contentOf(turn, said) });
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
 * Plain text wherever it says the same. An assistant's words as parts would need the id and status of the answer
 * they come from, and hosts that check their input refuse them without.
 */
function contentOf({ role }: Turn, said: readonly SaidPart[]): Json {
  const words = said.filter((part) => part.type !== 'media');
  if (words.length === said.length && (role === 'assistant' || words.length === 1))
    return words.map((part) => part.text).join('');
  return said.map((part) => {
    if (part.type === 'media') return writeMedia(part);
    return { type: role === 'assistant' ? 'output_text' : 'input_text', text: part.text };
  });
}

function writeItem(part: ReasoningPart | CallPart | ResultPart, writer: ItemWriter): JsonObject[] {
  if (part.type === 'reasoning') {
    const sealed = sealFor(part, 'responses', writer.options, writer.dropped);
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
    return [{ type, call_id, output: outputOf(part) }];
  }
  const name = wireName(part.name);
  if (part.freeform && writer.options.tools?.includes('freeform')) {
    writer.custom.add(part.id);
    return [{ type: 'custom_tool_call', call_id, name, input: part.input }];
  }
  const text = part.freeform ? JSON.stringify({ input: part.input }) : part.input;
  return [{ type: 'function_call', call_id, name, arguments: text }];
}

function outputOf(part: ResultPart): Json {
  const prefix = part.isError ? 'Error: ' : '';
  if (part.parts.every((inner) => inner.type === 'text')) return prefix + resultText(part);
  return part.parts.map((inner, index) =>
    inner.type === 'text'
      ? { type: 'input_text', text: index === 0 ? prefix + inner.text : inner.text }
      : writeMedia(inner),
  );
}

function writeMedia(part: MediaPart): JsonObject {
  const { source } = part;
  const url = 'data' in source ? dataUrl(source) : 'url' in source ? source.url : undefined;
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

function toolsOf(ask: Ask, options: UpstreamOptions, dropped: Set<string>): JsonObject {
  const { tools, choice } = planTools(ask, options, dropped, true);
  if (tools.length === 0) return {};
  const freeform = options.tools?.includes('freeform') === true;
  const reference = (name: string): JsonObject => {
    const custom = freeform && tools.some((tool) => tool.name === name && tool.kind === 'freeform');
    return { type: custom ? 'custom' : 'function', name: wireName(name) };
  };
  let tool_choice: Json | undefined;
  if (choice?.mode === 'named') tool_choice = reference(choice.name);
  else if (choice?.allowed)
    tool_choice = { type: 'allowed_tools', mode: choice.mode, tools: choice.allowed.map(reference) };
  else tool_choice = choice?.mode;
  return {
    tools: tools.map((tool) => writeTool(tool, freeform)),
    tool_choice,
    parallel_tool_calls: ask.parallelTools,
  };
}

/** `strict` is always said: left out, it is on, and turns optional parameters into required ones. */
function writeTool(tool: Tool, freeform: boolean): JsonObject {
  const name = wireName(tool.name);
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
  const { description, schema } = freeformSchema(tool);
  return { type: 'function', name, description, parameters: schema, strict: false };
}

function textOf(ask: Ask, options: UpstreamOptions, dropped: Set<string>): JsonObject | undefined {
  const verbosity = hint(ask.verbosity, 'verbosity', options, dropped);
  const { format } = ask;
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

function reasoningOf(ask: Ask, options: UpstreamOptions, dropped: Set<string>): JsonObject | undefined {
  if (ask.reasoning === undefined) return undefined;
  if (options.think === 'none') {
    dropped.add('reasoning');
    return undefined;
  }
  // A client that speaks in thinking blocks shows them: without a summary there would be none.
  const shown = ask.dialect === 'messages' && ask.reasoning.effort !== 'none' ? 'auto' : undefined;
  const effort = effortFor(ask, options, dropped);
  const summary = ask.reasoning.summary ?? shown;
  return effort === undefined && summary === undefined ? undefined : { effort, summary };
}
