import type { ClientDialect, UpstreamDialect } from '../dialect.ts';
import { parseUpstreamFault } from '../upstream-fault.ts';
import { readRequest } from './read-request.ts';
import { createResponseReader, readCompleteResponse } from './response-reader.ts';
import { createResponseWriter, writeCompleteResponse } from './response-writer.ts';
import { writeRequest } from './write-request.ts';

/** The Anthropic Messages dialect. */
export const messagesDialect: ClientDialect & UpstreamDialect = {
  name: 'messages',
  supportedFeatures: new Set(['image', 'image-url', 'file', 'file-url', 'json', 'schema']),
  readRequest,
  writeRequest,
  createResponseReader,
  readCompleteResponse,
  createResponseWriter,
  writeCompleteResponse,
  readFault: parseUpstreamFault,
};
