import type { UpstreamDialect } from '../dialect.ts';
import { parseUpstreamFault } from '../upstream-fault.ts';
import { createResponseReader, readCompleteResponse } from './response-reader.ts';
import { writeRequest } from './write-request.ts';

/** The Cohere Chat dialect, version 2. */
export const cohereDialect: UpstreamDialect = {
  name: 'cohere',
  supportedFeatures: new Set(['image', 'image-url', 'image-type', 'json', 'schema']),
  writeRequest,
  createResponseReader,
  readCompleteResponse,
  readFault: parseUpstreamFault,
};
