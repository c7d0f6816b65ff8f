import { type DialectSupportSettings, fillPlaceholders } from './dialect-support.ts';

/** A provider's paths for opaque APIs. Floe forwards their bodies without parsing. They belong to no dialect. */
export interface OpaquePaths {
  /**
   * Returns the path and query for an OpenAI path such as `images/generations`. `model` is empty if there is
   * none.
   */
  opaquePath(path: string, model: string): string;
  /** Returns the path and query of the embeddings endpoint. `model` is the id that the client requested. */
  embeddingsPath(model: string): string;
}

const CHAT_PATH = '/chat/completions';

/**
 * Creates a provider's opaque paths. Unless the definition sets `opaqueBasePath`, they have the same base path as Chat
 * Completions. If that path contains the deployment, the opaque paths contain it too.
 */
export function createOpaquePaths({
  definition,
  dialectPaths,
  prefix,
  query,
  upstreamModel,
}: Omit<DialectSupportSettings, 'dialects' | 'placeholders'>): OpaquePaths {
  const chat = typeof dialectPaths.chat === 'string' ? dialectPaths.chat : '';
  const lead = chat.endsWith(CHAT_PATH) ? chat.slice(0, -CHAT_PATH.length) : '';
  const vectors = definition.embeddings?.path;
  const opaquePath = (path: string, model: string) => {
    const below = model === '' ? '' : fillPlaceholders(lead, { model: upstreamModel(model) });
    const place = definition.opaqueBasePath ?? below;
    return `${prefix}${place}/${path}${query === undefined ? '' : `?${query}`}`;
  };
  return {
    opaquePath,
    embeddingsPath: (model) =>
      vectors === undefined
        ? opaquePath('embeddings', model)
        : prefix + fillPlaceholders(vectors, { model: upstreamModel(model) }),
  };
}
