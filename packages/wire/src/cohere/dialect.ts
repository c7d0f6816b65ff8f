import type { UpstreamDialect } from '../dialect.ts';
import { readUpstreamFault } from '../upstream-fault.ts';
import { answerReader, readAnswer } from './answer-reader.ts';
import { writeAsk } from './write-ask.ts';

/** Cohere Chat, version 2. */
export const cohere: UpstreamDialect = {
  name: 'cohere',
  carries: new Set(['image', 'image-url', 'image-type', 'json', 'schema']),
  writeAsk,
  answerReader,
  readAnswer,
  readFault: readUpstreamFault,
};
