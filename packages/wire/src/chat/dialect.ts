import { writeOpenAiFault } from '../client-fault.ts';
import type { ClientDialect, UpstreamDialect } from '../dialect.ts';
import { readUpstreamFault } from '../upstream-fault.ts';
import { answerReader, readAnswer } from './answer-reader.ts';
import { answerWriter, writeAnswer } from './answer-writer.ts';
import { readAsk } from './read-ask.ts';
import { writeAsk } from './write-ask.ts';

/** OpenAI Chat Completions, and the many hosts that speak it. */
export const chat: ClientDialect & UpstreamDialect = {
  name: 'chat',
  carries: new Set(['image', 'image-url', 'image-type', 'file', 'file-type', 'audio', 'json', 'schema']),
  readAsk,
  writeAsk,
  answerReader,
  readAnswer,
  answerWriter,
  writeAnswer,
  writeFault: writeOpenAiFault,
  readFault: readUpstreamFault,
};
