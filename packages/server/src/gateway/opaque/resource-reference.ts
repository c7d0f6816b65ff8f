/** The two native styles a provider's address may have. */
export type ApiStyle = 'a' | 'b';

/** What a path below a base is about. */
export interface ResourceReference {
  /** Name on the row. */
  readonly surface: string;
  /** The collection of things that belong to whoever made them; null for paths that have no such thing. */
  readonly collection: string | null;
  /** The one thing the path names. */
  readonly id: string | null;
  /** A model the path names. */
  readonly model: string | null;
  /** What passes here are the results of a batch, or may be. */
  readonly isBatchResults: boolean;
  /** The body is JSON, whatever it says of itself. */
  readonly isJsonOnly: boolean;
}

/** Collections whose things belong to the key that made them, below `/v1`. */
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

/** Words that stand where an id would and name a deed. */
const ACTION_PATHS = new Set(['responses/compact', 'responses/input_tokens', 'messages/count_tokens']);

const SURFACES = new Set([
  'responses',
  'messages',
  'embeddings',
  'images',
  'audio',
  'moderations',
  'rerank',
  'files',
  'batches',
]);

/** Reads segments below `/v1` of a native API. They are still encoded; ids and models come decoded. */
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
    isJsonOnly: /^(?:chat\/completions|completions|responses|messages|embeddings|moderations|rerank)$/.test(
      path,
    ),
  };
}

function surfaceNameOf([first = '', second]: readonly string[]): string {
  if (first === 'chat') return 'chat';
  if (first === 'batch' || (first === 'messages' && second === 'batches')) return 'batches';
  return SURFACES.has(first) ? first : 'other';
}

/** `models/{model}`, and the older addresses that put the model first. */
function parseModel([first, second]: readonly string[]): string | null {
  const names = first === 'models' || first === 'deployments' || first === 'engines';
  return names && second !== undefined ? decodeURIComponent(second) : null;
}
