import { Fault } from '@floe/contract/faults';

/** The two native API styles: OpenAI (`a`) and Anthropic (`b`). */
export type ApiStyle = 'a' | 'b';

/** The provider resource that a request path identifies. */
export interface ResourceReference {
  /** The name of the surface in the request log row. */
  readonly surface: string;
  /** The path in lower case, without a model before it. */
  readonly endpoint: string;
  /** The collection, whose resources have an owner; null for endpoints without resources. */
  readonly collection: string | null;
  /** The id in the path; null if the path does not identify a single resource. */
  readonly id: string | null;
  /** The model in the path; null if there is none. */
  readonly model: string | null;
  /** Whether the response contains, or may contain, batch results. */
  readonly isBatchResults: boolean;
  /** Whether the response is the content of a file or another resource. */
  readonly isContent: boolean;
  /** Whether the body is a prompt, in which only some members are ids of resources. */
  readonly isPrompt: boolean;
  /** Whether the body is JSON regardless of its content type. */
  readonly isJsonOnly: boolean;
}

/**
 * POST endpoints that store nothing that a client can read later, including those of Gemini and Bedrock. Every other
 * path is a collection, because a provider's new endpoints must not give access to the resources of other callers.
 */
const STATELESS_ENDPOINT = new RegExp(
  `^(?:${[
    'completions|messages(?:/count_tokens)?|responses/(?:compact|input_tokens)|(?:fim|agents)/completions',
    'embeddings|rerank|ocr|score|classify|pooling|tokenize|detokenize|(?:chat/)?(?:moderations|classifications)',
    'images/(?:generations|edits|variations)|audio/(?:speech|transcriptions|translations)',
    'realtime/(?:(?:translations/)?client_secrets|sessions|transcription_sessions)',
    'decisions|content_provenance_checks|fine_tuning/alpha/graders/(?:run|validate)',
    'models/[^/]+:(?:generatecontent|streamgeneratecontent|counttokens|embedcontent|batchembedcontents|predict)',
    'model/[^/]+/(?:invoke|invoke-with-response-stream|converse|converse-stream|count-tokens)',
  ].join('|')})$`,
);

/** The endpoints that have the model in their path, and the method after the model. */
const MODEL_PATH = /^models?\//;
const MODEL_METHOD = /:(?:\w+Contents?|countTokens|predict)$/i;

/** Segments after which older paths contain a model and an endpoint. */
const MODEL_PREFIXES = new Set(['deployments', 'engines']);

/** First segments that contain collections but are not collections themselves. */
const NAMESPACES = new Set(['audio', 'batch', 'chatkit', 'fine_tuning', 'images', 'live', 'realtime']);
/** Other collections whose names have several segments. A longer name precedes its own prefix. */
const NESTED_COLLECTIONS = [
  'agents/environments/templates',
  'agents/environments',
  'agents/automations',
  'agents/sessions',
  'chat/completions',
  'messages/batches',
  'videos/characters',
];
/** Endpoints that create a resource of the collection in their first segment. */
const CREATE_ACTIONS = new Set(['threads/runs', 'videos/edits', 'videos/extensions']);

/**
 * Paths whose bodies are JSON. Other content types are rejected, because some providers ignore the content type,
 * and policies do not evaluate other bodies.
 */
const JSON_PATH =
  /^(?:chat\/completions|completions|responses(?:\/compact|\/input_tokens)?|messages(?:\/count_tokens|\/batches)?|embeddings|moderations|rerank|batches|batch\/jobs|(?:fim|agents)\/completions|conversations(?:\/[^/]+\/items)?|images\/generations|audio\/speech|evals(?:\/.*)?)$/;

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
 * and models in the result are decoded. Names are compared in lower case, because some providers ignore their case.
 */
export function parseResourcePath(method: string, segments: readonly string[]): ResourceReference {
  const folded = segments.map((segment) => segment.toLowerCase());
  const lead = MODEL_PREFIXES.has(folded[0] ?? '') && isModelEndpoint(folded.slice(2).join('/')) ? 2 : 0;
  const names = folded.slice(lead);
  const endpoint = names.join('/');
  const isStateless = method === 'POST' && STATELESS_ENDPOINT.test(endpoint);
  const collection = isStateless ? null : findCollection(names);
  const at = lead + (collection ?? '').split('/').length;
  const hasId = collection !== null && at < segments.length && !CREATE_ACTIONS.has(endpoint);
  const what = hasId ? folded[at + 1] : undefined;
  return {
    surface: surfaceNameOf(names),
    endpoint,
    collection,
    id: hasId ? decodeURIComponent(segments[at] ?? '') : null,
    model: parseModel(segments, lead > 0 || (isStateless && MODEL_PATH.test(endpoint))),
    isBatchResults:
      (collection === 'files' && what === 'content') ||
      (collection === 'messages/batches' && what === 'results'),
    isContent: what !== undefined && folded.at(-1) === 'content',
    isPrompt: isPromptEndpoint(endpoint),
    isJsonOnly: JSON_PATH.test(endpoint),
  };
}

/**
 * Rejects the administration of a provider account, and requests whose resources have no id, so that their owner is
 * unknown.
 * @throws Fault `not_found`
 */
export function requireForwardablePath(
  method: string,
  { endpoint, collection, id }: ResourceReference,
): void {
  const path = endpoint.slice(0, 100);
  if (/^organizations?(?:\/|$)/.test(endpoint))
    throw new Fault(
      'not_found',
      `Floe does not forward requests to "${path}", because they concern the whole account at the provider. Use the provider's own console or API.`,
      { param: 'path' },
    );
  if (collection !== null && id === null && !['GET', 'HEAD', 'POST'].includes(method))
    throw new Fault(
      'not_found',
      `Floe does not forward ${method} to "${path}", because the path does not contain the id of an object. Add the id of the object to the path.`,
    );
}

/** Returns whether an endpoint is for a model. */
function isModelEndpoint(endpoint: string): boolean {
  return STATELESS_ENDPOINT.test(endpoint) || endpoint === 'chat/completions' || endpoint === 'responses';
}

/** Returns whether the body of a request to an endpoint is a prompt, in which only some members are ids of resources. */
export function isPromptEndpoint(endpoint: string): boolean {
  return isModelEndpoint(endpoint) && endpoint !== 'agents/completions';
}

/** Returns the collection of a path; null for the base path. */
function findCollection(names: readonly string[]): string | null {
  const path = `${names.join('/')}/`;
  const nested = NESTED_COLLECTIONS.find((name) => path.startsWith(`${name}/`));
  if (nested !== undefined) return nested;
  const [first = ''] = names;
  return names.slice(0, NAMESPACES.has(first) ? 2 : 1).join('/') || null;
}

function surfaceNameOf([first = '', second]: readonly string[]): string {
  if (first === 'chat') return 'chat';
  if (first === 'batch' || (first === 'messages' && second === 'batches')) return 'batches';
  return SURFACES.has(first) ? first : 'other';
}

/**
 * Returns the model of the path `models/{model}`, or of an endpoint that has the model in its path; null for other
 * paths.
 */
function parseModel([first, second]: readonly string[], hasModel: boolean): string | null {
  if (second === undefined) return null;
  const model = decodeURIComponent(second);
  if (hasModel) return model.replace(MODEL_METHOD, '');
  return first?.toLowerCase() === 'models' ? model : null;
}
