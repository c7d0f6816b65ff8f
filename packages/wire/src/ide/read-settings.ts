import type { Json, JsonObject } from '@floe/contract/json';
import { type AskDraft, invalid, readLimit, readReasoning } from '../ask-draft.ts';
import { booleanOf, isArray, listOf, numberOf, objectOf, says, textOf } from '../json-read.ts';
import { readFormat, readToolChoice, readTools } from '../read-tools.ts';
import type { Format, Reasoning, Tool, ToolChoice } from '../request.ts';

const LIMITS = ['max_output_tokens', 'max_completion_tokens', 'max_tokens'] as const;
const TIERS = new Set(['auto', 'default', 'flex', 'scale', 'priority']);
const VERBOSITIES = new Set(['low', 'medium', 'high']);
const SYNTAXES = new Set(['lark', 'regex']);

/** Members in which an IDE keeps its own books; they mean nothing to a provider. */
const BOOKKEEPING = /^cursor/i;
const CONVERSATION = /conversation_?id$/i;
/** OpenAI's limits of `metadata`. */
const METADATA_PAIRS = 16;
const METADATA_KEY = 64;
const METADATA_VALUE = 512;

export interface ToolSettings {
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice | undefined;
  readonly parallelTools: boolean | undefined;
}

/** Tools in every form, without those a provider would run itself; a choice that names one of those is a 400. */
export function readToolSettings(body: JsonObject, draft: AskDraft): ToolSettings {
  const member = says(body['tools']) ? 'tools' : 'functions';
  const given = body[member];
  if (says(given) && !isArray(given)) throw invalid(`\`${member}\` must be an array.`, member);
  const tools = readTools(given, member, draft, true);
  for (const tool of tools) {
    if (tool.name === '') throw invalid(`A tool in \`${member}\` has no name.`, member);
    if (tool.kind === 'freeform' && tool.grammar && !SYNTAXES.has(tool.grammar.syntax))
      throw invalid(`The grammar of \`${tool.name}\` must be lark or regex.`, member);
  }
  const choice = says(body['tool_choice']) ? body['tool_choice'] : body['function_call'];
  const parallel =
    objectOf(body['tool_choice'])?.['disable_parallel_tool_use'] === true
      ? false
      : booleanOf(body['parallel_tool_calls']);
  return {
    tools,
    toolChoice: choiceOf(choice, tools, listOf(given).length > 0),
    parallelTools: tools.length > 0 ? parallel : undefined,
  };
}

function choiceOf(
  value: Json | undefined,
  tools: readonly Tool[],
  wereGiven: boolean,
): ToolChoice | undefined {
  if (!says(value)) return undefined;
  if (tools.length === 0) {
    const word = textOf(objectOf(value)?.['type']) ?? '';
    if (wereGiven && objectOf(value) && !['auto', 'none', 'any', 'required', 'allowed_tools'].includes(word))
      throw invalid('`tool_choice` names a tool that cannot be used here.', 'tool_choice');
    return undefined;
  }
  if (typeof value !== 'string' && objectOf(value) === undefined)
    throw invalid('`tool_choice` must be a word or an object.', 'tool_choice');
  const choice = readToolChoice(value, tools);
  if (choice === undefined || choice.mode === 'named' || choice.allowed === undefined) return choice;
  const names = new Set(tools.map(({ name }) => name));
  const allowed = choice.allowed.filter((name) => names.has(name));
  if (allowed.length === 0) throw invalid('`tool_choice` allows no tool that is in `tools`.', 'tool_choice');
  return choice.mode === 'none' ? { mode: 'none' } : { mode: choice.mode, allowed };
}

/** The first of the dialects' token limits. @throws Fault 400 when it is no whole number above 0. */
export function readMaxTokens(body: JsonObject): number | undefined {
  const limit = readLimit(body, LIMITS);
  if (limit === undefined || (Number.isInteger(limit) && limit > 0)) return limit;
  const member = LIMITS.find((name) => body[name] === limit) ?? 'max_tokens';
  throw invalid(`\`${member}\` must be a whole number above 0.`, member);
}

/** Nobody reads the summaries here: Chat answers carry no reasoning. */
export function readEffort(body: JsonObject, draft: AskDraft): Reasoning | undefined {
  const reasoning = readReasoning(body, draft);
  if (reasoning?.summary === undefined) return reasoning;
  draft.drop('reasoning.summary');
  const { effort, budget, adaptive } = reasoning;
  return effort === undefined && budget === undefined && adaptive === undefined
    ? undefined
    : { effort, budget, adaptive };
}

/** `response_format`, `text.format` or `output_config.format`, the first that says something. */
export function readFormats(body: JsonObject, draft: AskDraft): Format | undefined {
  if (says(body['response_format'])) return readFormat(body['response_format'], 'response_format', draft);
  const text = objectOf(body['text'])?.['format'];
  if (says(text)) return readFormat(text, 'text.format', draft);
  const config = objectOf(body['output_config'])?.['format'] ?? body['output_format'];
  return readFormat(config, 'output_config.format', draft);
}

export function readVerbosity(body: JsonObject, draft: AskDraft): string | undefined {
  return listed(textOf(objectOf(body['text'])?.['verbosity']) ?? textOf(body['verbosity']), VERBOSITIES, () =>
    draft.drop('verbosity'),
  );
}

export function readTier(body: JsonObject, draft: AskDraft): string | undefined {
  return listed(textOf(body['service_tier']), TIERS, () => draft.drop('service_tier'));
}

function listed(
  word: string | undefined,
  words: ReadonlySet<string>,
  unlisted: () => void,
): string | undefined {
  if (word === undefined || words.has(word)) return word;
  unlisted();
  return undefined;
}

/** Who and which conversation a body names, and what is left of its metadata. */
export interface Attribution {
  readonly user: string | undefined;
  readonly cacheKey: string | undefined;
  readonly metadata: Readonly<Record<string, string>> | undefined;
}

/**
 * An IDE's account name is its user's, never a conversation's: that is `prompt_cache_key`, or the conversation
 * id in the IDE's own metadata, which goes no further.
 */
export function readAttribution(body: JsonObject, draft: AskDraft): Attribution {
  const pairs = Object.entries(objectOf(body['metadata']) ?? {});
  const conversation = pairs.find(([key, value]) => CONVERSATION.test(key) && typeof value === 'string');
  const kept = pairs.flatMap(([key, value]) => {
    if (key === 'user_id' || BOOKKEEPING.test(key) || CONVERSATION.test(key)) return [];
    if (typeof value === 'string' && key.length <= METADATA_KEY && value.length <= METADATA_VALUE)
      return [[key, value] as const];
    draft.drop('metadata');
    return [];
  });
  if (kept.length > METADATA_PAIRS) draft.drop('metadata');
  const named = textOf(conversation?.[1]);
  return {
    user:
      said(body['user']) ?? said(body['safety_identifier']) ?? said(objectOf(body['metadata'])?.['user_id']),
    cacheKey: said(body['prompt_cache_key']) ?? (named === '' ? undefined : named),
    metadata: kept.length === 0 ? undefined : Object.fromEntries(kept.slice(0, METADATA_PAIRS)),
  };
}

function said(value: Json | undefined): string | undefined {
  return textOf(value) || undefined;
}

/** One answer to a request is what an IDE reads. */
export function refuseChoices(body: JsonObject, draft: AskDraft): void {
  const n = body['n'];
  if (n === undefined || n === null || n === 1) return;
  if (numberOf(n) === undefined) throw invalid('`n` must be a number.', 'n');
  draft.need('choices', 'n');
}
