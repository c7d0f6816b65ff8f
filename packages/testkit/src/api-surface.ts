/** The API that a request path belongs to. It determines the format of responses and errors. */
export type ApiSurface =
  | 'chat'
  | 'responses'
  | 'messages'
  | 'count-tokens'
  | 'generate-content'
  | 'converse'
  | 'cohere-chat'
  | 'ollama-native'
  | 'completions'
  | 'embeddings'
  | 'images'
  | 'other';

const SURFACES: readonly (readonly [RegExp, ApiSurface])[] = [
  [/\/chat\/completions$/, 'chat'],
  [/\/responses(\/|$)/, 'responses'],
  [/\/messages\/count_tokens$|\/count-tokens$/, 'count-tokens'],
  [/\/messages$/, 'messages'],
  [/:(stream)?generateContent$/i, 'generate-content'],
  [/\/converse(-stream)?$/, 'converse'],
  [/\/v2\/chat$/, 'cohere-chat'],
  [/\/api\/chat$/, 'ollama-native'],
  [/\/completions$/, 'completions'],
  [/\/embeddings$|\/v2\/embed$|:(batch)?embedContents?$/i, 'embeddings'],
  [/\/images\//, 'images'],
];

/** Returns the API of a path, which may have a query. */
export function getApiSurface(path: string): ApiSurface {
  const pathname = path.split('?')[0] ?? '';
  return SURFACES.find(([pattern]) => pattern.test(pathname))?.[1] ?? 'other';
}

/**
 * Returns whether a request asks for a stream, by its path (Gemini, Bedrock) or by `"stream":
 * true`.
 */
export function isStreamingRequest(path: string, body: unknown): boolean {
  if (/:streamGenerateContent|\/converse-stream$/.test(path)) return true;
  return typeof body === 'object' && body !== null && 'stream' in body && body.stream === true;
}
