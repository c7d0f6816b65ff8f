import { isObject, type JsonObject } from '@floe/contract/json';

/** One model of a provider as its own list names it. */
export interface ListedModel {
  readonly id: string;
  /** Seconds since the epoch, 0 when the list does not say. */
  readonly created: number;
  readonly ownedBy: string;
  /** Tokens, null when the list does not say. */
  readonly contextWindow: number | null;
  /** Tokens of one answer at most, null when the list does not say. */
  readonly maxOutputTokens: number | null;
}

/** A piece of a model list and the query that leads to the next piece. */
export interface ModelPage {
  readonly models: readonly ListedModel[];
  readonly next: string | undefined;
}

/**
 * Reads any provider's model list: `data[]`, a bare array, or a list under a name of its own, with names instead of ids.
 *
 * @throws Error when the answer is no list at all.
 */
export function parseModelPage(body: unknown): ModelPage {
  const entries: unknown = isObject(body) ? findList(body) : body;
  if (Array.isArray(entries))
    return {
      models: entries.filter(isObject).flatMap(parseEntry),
      next: isObject(body) ? nextQuery(body) : undefined,
    };
  // A local server without any model says null.
  if (isObject(body) && (body.data === null || body.models === null)) return { models: [], next: undefined };
  throw new Error('the response is not a model list');
}

/** Under whichever of the known names the list stands. */
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
  // Gemini; Groq; OpenRouter, whose own limit stands beside those of the host it asks first.
  const outputs = [
    entry.outputTokenLimit,
    entry.max_output_tokens,
    entry.max_completion_tokens,
    isObject(entry.top_provider) ? entry.top_provider.max_completion_tokens : null,
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

/** Some lists name the methods of a model, or how it is bought; images, embeddings and the rest are none of ours. */
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
