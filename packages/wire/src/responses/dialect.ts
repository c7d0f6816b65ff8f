import type { ClientDialect, UpstreamDialect } from '../dialect.ts';
import { parseUpstreamFault } from '../upstream-fault.ts';
import { readRequest } from './read-request.ts';
import { createResponseReader, readCompleteResponse } from './response-reader.ts';
import { createResponseWriter, writeCompleteResponse } from './response-writer.ts';
import { writeRequest } from './write-request.ts';

/** The OpenAI Responses dialect, which Open Responses also specifies. */
export const responsesDialect: ClientDialect & UpstreamDialect = {
  name: 'responses',
  supportedFeatures: new Set([
    'image',
    'image-url',
    'image-type',
    'file',
    'file-type',
    'file-url',
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
