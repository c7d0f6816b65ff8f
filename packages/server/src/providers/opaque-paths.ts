import { filled, type SpeakingSettings } from './speaking.ts';

/** Where the paths are that belong to no dialect. */
export interface OpaquePaths {
  /** Path and query of an OpenAI-shaped path such as `images/generations`. `model` is '' where none is named. */
  opaquePath(path: string, model: string): string;
  /** Path and query where vectors are asked for. `model` is the id asked for. */
  embeddingsPath(model: string): string;
}

const CHAT = '/chat/completions';

/** Beside Chat, and below a deployment where Chat is, but for things that belong to none. */
export function opaquePathsOf({
  sheet,
  speaks,
  prefix,
  query,
  upstreamModel,
}: Omit<SpeakingSettings, 'dialects' | 'places'>): OpaquePaths {
  const chat = typeof speaks.chat === 'string' ? speaks.chat : '';
  const lead = chat.endsWith(CHAT) ? chat.slice(0, -CHAT.length) : '';
  const vectors = sheet.embeddings?.path;
  const opaquePath = (path: string, model: string) => {
    const below = model === '' ? '' : filled(lead, { model: upstreamModel(model) });
    const place = sheet.offersBelow ?? below;
    return `${prefix}${place}/${path}${query === undefined ? '' : `?${query}`}`;
  };
  return {
    opaquePath,
    embeddingsPath: (model) =>
      vectors === undefined
        ? opaquePath('embeddings', model)
        : prefix + filled(vectors, { model: upstreamModel(model) }),
  };
}
