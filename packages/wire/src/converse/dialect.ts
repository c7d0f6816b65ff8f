import type { UpstreamDialect } from '../dialect.ts';
import { parseUpstreamFault } from '../upstream-fault.ts';
import { createResponseReader, readCompleteResponse } from './response-reader.ts';
import { writeRequest } from './write-request.ts';

/** The Amazon Bedrock dialect: Converse and ConverseStream. */
export const converseDialect: UpstreamDialect = {
  name: 'converse',
  supportedFeatures: new Set(['image', 'file', 'file-type', 'json', 'schema']),
  writeRequest,
  createResponseReader,
  readCompleteResponse,
  readFault: parseUpstreamFault,
};
