import { type DialectSupportSettings, fillPlaceholders } from './dialect-support.ts';

/** Where the paths are that belong to no dialect. */
export interface OpaquePaths {
  /** Path and query of an OpenAI-shaped path such as `images/generations`. `model` is '' where none is named. */
  opaquePath(path: string, model: string): string;
  /** Path and query where vectors are asked for. `model` is the id asked for. */
  embeddingsPath(model: string): string;
}

const CHAT_PATH = '/chat/completions';

/** Beside Chat, and below a deployment where Chat is, but for things that belong to none. */
export function createOpaquePaths({
  sheet,
  dialectPaths,
  prefix,
  query,
  upstreamModel,
}: Omit<DialectSupportSettings, 'dialects' | 'placeholders'>): OpaquePaths {
  const chat = typeof dialectPaths.chat === 'string' ? dialectPaths.chat : '';
  const lead = chat.endsWith(CHAT_PATH) ? chat.slice(0, -CHAT_PATH.length) : '';
  const vectors = sheet.embeddings?.path;
  const opaquePath = (path: string, model: string) => {
    const below = model === '' ? '' : fillPlaceholders(lead, { model: upstreamModel(model) });
    const place = sheet.opaqueBasePath ?? below;
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
