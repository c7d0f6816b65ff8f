import { writeAnthropicFault } from '../client-fault.ts';
import type { ClientDialect, UpstreamDialect } from '../dialect.ts';
import { readUpstreamFault } from '../upstream-fault.ts';
import { answerReader, readAnswer } from './answer-reader.ts';
import { answerWriter, writeAnswer } from './answer-writer.ts';
import { readAsk } from './read-ask.ts';
import { writeAsk } from './write-ask.ts';

/** Anthropic Messages. */
export const messages: ClientDialect & UpstreamDialect = {
  name: 'messages',
  carries: new Set(['image', 'image-url', 'file', 'file-url', 'json', 'schema']),
  readAsk,
  writeAsk,
  answerReader,
  readAnswer,
  answerWriter,
  writeAnswer,
  writeFault: writeAnthropicFault,
  readFault: readUpstreamFault,
};
