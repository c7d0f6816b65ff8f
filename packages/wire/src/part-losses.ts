import type { Ask, MediaPart, Part, TextPart } from './request.ts';

/** What a target's dialect can say of a part beside its content. */
export interface PartWords {
  /** Title, context and citations of documents. */
  readonly documents?: true;
  /** Resolution of pictures. */
  readonly detail?: true;
  /** Names of files. */
  readonly names?: true;
  /** Where the prompt may be cached; `texts` of system and user only. */
  readonly marks?: 'all' | 'texts';
}

/** Reports what stands beside the content of parts and the target has no word for. */
export function reportParts(ask: Ask, words: PartWords, dropped: Set<string>): void {
  for (const part of ask.system) reportPart(part, true, words, dropped);
  for (const { role, parts } of ask.turns)
    for (const part of parts) {
      reportPart(part, part.type === 'text' && role !== 'assistant', words, dropped);
      if (part.type === 'result') for (const inner of part.parts) reportPart(inner, false, words, dropped);
    }
  if (words.marks !== 'all' && ask.tools.some((tool) => tool.cache !== undefined))
    dropped.add('cache_control');
}

function reportPart(part: Part, isText: boolean, words: PartWords, dropped: Set<string>): void {
  if ('cache' in part && part.cache !== undefined && words.marks !== 'all')
    if (words.marks === undefined || !isText) dropped.add('cache_control');
  if (part.type === 'text') reportDocument(part, words, dropped);
  else if (part.type === 'media') reportMedia(part, words, dropped);
}

function reportDocument({ document }: TextPart | MediaPart, words: PartWords, dropped: Set<string>): void {
  if (document === undefined || words.documents) return;
  const { title, context, citations }: NonNullable<TextPart['document']> = document;
  if (title !== undefined) dropped.add('document.title');
  if (context !== undefined) dropped.add('document.context');
  if (citations) dropped.add('document.citations');
}

function reportMedia(part: MediaPart, words: PartWords, dropped: Set<string>): void {
  reportDocument(part, words, dropped);
  if (part.name !== undefined && !words.names) dropped.add('file.filename');
  // `auto` is what every provider does unasked.
  if (part.detail !== undefined && part.detail !== 'auto' && !words.detail) dropped.add('image.detail');
}
