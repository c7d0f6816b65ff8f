import type { UpstreamDialect } from '../dialect.ts';
import { readUpstreamFault } from '../upstream-fault.ts';
import { answerReader, readAnswer } from './answer-reader.ts';
import { writeAsk } from './write-ask.ts';

/** Gemini generateContent and streamGenerateContent. */
export const gemini: UpstreamDialect = {
  name: 'gemini',
  carries: new Set([
    'image',
    'image-url',
    'image-type',
    'file',
    'file-type',
    'file-url',
    'audio',
    'json',
    'schema',
  ]),
  writeAsk,
  answerReader,
  readAnswer,
  readFault: readUpstreamFault,
};
