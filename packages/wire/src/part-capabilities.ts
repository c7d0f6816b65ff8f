import type { CanonicalRequest, ContentPart, MediaPart, TextPart } from './request.ts';

/** The part metadata that a dialect supports. */
export interface PartCapabilities {
  /** Title, context and citations of documents. */
  readonly documents?: true;
  /** Resolution of images. */
  readonly detail?: true;
  /** Names of files. */
  readonly names?: true;
  /** Cache breakpoints. `all`: on any part. `texts`: only on text parts of system and user messages. */
  readonly cacheBreakpoints?: 'all' | 'texts';
}

/** Reports part metadata that the target does not support. */
export function reportUnsupportedPartFields(
  request: CanonicalRequest,
  capabilities: PartCapabilities,
  dropped: Set<string>,
): void {
  for (const part of request.system) reportUnsupportedFields(part, true, capabilities, dropped);
  for (const { role, parts } of request.turns)
    for (const part of parts) {
      reportUnsupportedFields(part, part.type === 'text' && role !== 'assistant', capabilities, dropped);
      if (part.type === 'result')
        for (const inner of part.parts) reportUnsupportedFields(inner, false, capabilities, dropped);
    }
  if (capabilities.cacheBreakpoints !== 'all' && request.tools.some((tool) => tool.cache !== undefined))
    dropped.add('cache_control');
}

function reportUnsupportedFields(
  part: ContentPart,
  isText: boolean,
  words: PartCapabilities,
  dropped: Set<string>,
): void {
  if ('cache' in part && part.cache !== undefined && words.cacheBreakpoints !== 'all')
    if (words.cacheBreakpoints === undefined || !isText) dropped.add('cache_control');
  if (part.type === 'text') reportDocumentFields(part, words, dropped);
  else if (part.type === 'media') reportMediaFields(part, words, dropped);
}

function reportDocumentFields(
  { document }: TextPart | MediaPart,
  words: PartCapabilities,
  dropped: Set<string>,
): void {
  if (document === undefined || words.documents) return;
  const { title, context, citations }: NonNullable<TextPart['document']> = document;
  if (title !== undefined) dropped.add('document.title');
  if (context !== undefined) dropped.add('document.context');
  if (citations) dropped.add('document.citations');
}

function reportMediaFields(part: MediaPart, words: PartCapabilities, dropped: Set<string>): void {
  reportDocumentFields(part, words, dropped);
  if (part.name !== undefined && !words.names) dropped.add('file.filename');
  // `auto` is the default of every provider.
  if (part.detail !== undefined && part.detail !== 'auto' && !words.detail) dropped.add('image.detail');
}
