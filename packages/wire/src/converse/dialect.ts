import type { UpstreamDialect } from '../dialect.ts';
import { readUpstreamFault } from '../upstream-fault.ts';
import { answerReader, readAnswer } from './answer-reader.ts';
import { writeAsk } from './write-ask.ts';

/** Converse and ConverseStream. */
export const converse: UpstreamDialect = {
  name: 'converse',
  carries: new Set(['image', 'file', 'file-type', 'json', 'schema']),
  writeAsk,
  answerReader,
  readAnswer,
  readFault: readUpstreamFault,
};
