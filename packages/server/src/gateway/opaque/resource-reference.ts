/** The two native API styles: OpenAI (`a`) and Anthropic (`b`). */
export type ApiStyle = 'a' | 'b';

/** The provider resource that a request path identifies. */
export interface ResourceReference {
  /** The name of the surface in the request log row. */
  readonly surface: string;
  /** The collection, if its resources have an owner; null for other paths. */
  readonly collection: string | null;
  /** The id in the path; null if the path does not identify a single resource. */
  readonly id: string | null;
  /** The model in the path; null if there is none. */
  readonly model: string | null;
  /** Whether the response contains, or may contain, batch results. */
  readonly isBatchResults: boolean;
  /** Whether the response is the content of a file or another resource. */
  readonly isContent: boolean;
  /** Whether the body is JSON regardless of its content type. */
  readonly isJsonOnly: boolean;
}

/** Collections below `/v1` whose resources belong to the key that created them. */
const COLLECTIONS: Readonly<Record<ApiStyle, readonly string[]>> = {
  a: [
    'files',
    'batches',
    'responses',
    'uploads',
    'conversations',
    'vector_stores',
    'containers',
    'videos',
    'skills',
    'evals',
    'fine_tuning/jobs',
    'chat/completions',
  ],
  b: ['files', 'messages/batches', 'skills'],
};

/** Path segments that are actions rather than ids. */
const ACTION_PATHS = new Set(['responses/compact', 'responses/input_tokens', 'messages/count_tokens']);

/**
 * Paths whose bodies are JSON. Other content types are rejected, because some providers ignore the content type,
 * and policies do not evaluate other bodies.
 */
const JSON_PATH =
  /^(?:chat\/completions|completions|responses(?:\/compact|\/input_tokens)?|messages(?:\/count_tokens|\/batches)?|embeddings|moderations|rerank|batches|batch\/jobs|(?:fim|agents)\/completions|conversations(?:\/[^/]+\/items)?|images\/generations|audio\/speech)$/;

const SURFACES = new Set([
  'responses',
  'messages',
  'completions',
  'embeddings',
  'images',
  'audio',
  'moderations',
  'rerank',
  'files',
  'batches',
]);

/**
 * Parses the path segments below `/v1` of a native API. The given segments are percent-encoded. Ids
 * and models in the result are decoded.
 */
export function parseResourcePath(style: ApiStyle, segments: readonly string[]): ResourceReference {
  const path = segments.join('/');
  const collection = ACTION_PATHS.has(segments.slice(0, 2).join('/'))
    ? undefined
    : COLLECTIONS[style].find((name) => path === name || path.startsWith(`${name}/`));
  const rest = collection === undefined ? [] : segments.slice(collection.split('/').length);
  const [id, what] = rest;
  return {
    surface: surfaceNameOf(segments),
    collection: collection ?? null,
    id: id === undefined ? null : decodeURIComponent(id),
    model: parseModel(segments),
    isBatchResults:
      (collection === 'files' && what === 'content') ||
      (collection === 'messages/batches' && what === 'results'),
    isContent: rest.length > 1 && rest.at(-1) === 'content',
    isJsonOnly: JSON_PATH.test(path),
  };
}

function surfaceNameOf([first = '', second]: readonly string[]): string {
  if (first === 'chat') return 'chat';
  if (first === 'batch' || (first === 'messages' && second === 'batches')) return 'batches';
  return SURFACES.has(first) ? first : 'other';
}

/**
 * Returns the model of the path `models/{model}`, or of an older path that starts with the model; null for
 * other paths.
 */
function parseModel([first, second]: readonly string[]): string | null {
  const names = first === 'models' || first === 'deployments' || first === 'engines';
  return names && second !== undefined ? decodeURIComponent(second) : null;
}
