import type { ClientDialect, UpstreamDialect } from '../dialect.ts';
import { parseUpstreamFault } from '../upstream-fault.ts';
import { readRequest } from './read-request.ts';
import { createResponseReader, readCompleteResponse } from './response-reader.ts';
import { createResponseWriter, writeCompleteResponse } from './response-writer.ts';
import { writeRequest } from './write-request.ts';

/** The OpenAI Chat Completions dialect, which many providers use. */
export const chatDialect: ClientDialect & UpstreamDialect = {
  name: 'chat',
  supportedFeatures: new Set([
    'image',
    'image-url',
    'image-type',
    'file',
    'file-type',
    'audio',
    'json',
    'schema',
  ]),
  readRequest,
  writeRequest,
  createResponseReader,
  readCompleteResponse,
  createResponseWriter,
  writeCompleteResponse,
  readFault: parseUpstreamFault,
};
