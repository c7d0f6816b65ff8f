import { isJsonObject, type JsonObject } from '@floe/contract/json';

/** A model in a provider's model list. */
export interface ListedModel {
  readonly id: string;
  /** Seconds since the epoch; 0 if unknown. */
  readonly created: number;
  readonly ownedBy: string;
  /** The context window in tokens; null if unknown. */
  readonly contextWindow: number | null;
  /** Maximum output tokens of a response; null if unknown. */
  readonly maxOutputTokens: number | null;
}

/** A page of a model list, and the query for the next page. */
export interface ModelListPage {
  readonly models: readonly ListedModel[];
  readonly next: string | undefined;
}

/**
 * Parses a page of any provider's model list: an array, or an object with a list in `data` or under another
 * name. Entries may contain names instead of ids.
 * @throws Error if the body contains no list
 */
export function parseModelListPage(body: unknown): ModelListPage {
  const entries: unknown = isJsonObject(body) ? findList(body) : body;
  if (Array.isArray(entries))
    return {
      models: entries.filter(isJsonObject).flatMap(parseEntry),
      next: isJsonObject(body) ? nextQuery(body) : undefined,
    };
  // A local server without models returns null.
  if (isJsonObject(body) && (body.data === null || body.models === null))
    return { models: [], next: undefined };
  throw new Error('the response is not a model list');
}

/** Finds the list under any of the known names. */
function findList(body: JsonObject): unknown {
  return (
    body.data ?? body.models ?? body.modelSummaries ?? body.inferenceProfileSummaries ?? body.publisherModels
  );
}

function nextQuery(body: JsonObject): string | undefined {
  const cursors: readonly (readonly [parameter: string, value: unknown])[] = [
    ['after_id', body.has_more === true ? body.last_id : undefined],
    ['pageToken', body.nextPageToken],
    ['page_token', body.next_page_token],
    ['nextToken', body.nextToken],
  ];
  for (const [parameter, value] of cursors)
    if (typeof value === 'string' && value !== '') return `${parameter}=${encodeURIComponent(value)}`;
  return undefined;
}

function parseEntry(entry: JsonObject): ListedModel[] {
  const named = [entry.id, entry.modelId, entry.inferenceProfileId, entry.name].find(
    (value) => typeof value === 'string' && value !== '',
  );
  if (typeof named !== 'string' || isNotChatModel(entry)) return [];
  const windows = [
    entry.context_window,
    entry.context_length,
    entry.max_model_len,
    entry.max_context_length,
    entry.max_input_tokens,
    entry.inputTokenLimit,
  ];
  // Gemini; Groq; OpenRouter, which has its own limit and that of the host that it tries first.
  const outputs = [
    entry.outputTokenLimit,
    entry.max_output_tokens,
    entry.max_completion_tokens,
    isJsonObject(entry.top_provider) ? entry.top_provider.max_completion_tokens : null,
  ];
  return [
    {
      id: named.replace(/^(publishers\/[^/]+\/)?models\//, ''),
      created: parseCreated(entry.created ?? entry.created_at),
      ownedBy: typeof entry.owned_by === 'string' ? entry.owned_by : '',
      contextWindow: firstNumber(windows),
      maxOutputTokens: firstNumber(outputs),
    },
  ];
}

function firstNumber(values: readonly unknown[]): number | null {
  const found = values.find((value) => typeof value === 'number' && value > 0);
  return typeof found === 'number' ? found : null;
}

/**
 * Returns whether a model cannot be used for chat on demand, according to the methods and purchase options
 * that some lists contain.
 */
function isNotChatModel({
  supportedGenerationMethods: methods,
  inferenceTypesSupported: ways,
}: JsonObject): boolean {
  if (Array.isArray(ways) && !ways.includes('ON_DEMAND')) return true;
  return Array.isArray(methods) && !methods.includes('generateContent');
}

function parseCreated(created: unknown): number {
  const seconds = typeof created === 'string' ? Math.floor(Date.parse(created) / 1000) : created;
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds : 0;
}
