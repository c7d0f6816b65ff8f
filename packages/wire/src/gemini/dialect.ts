import type { UpstreamDialect } from '../dialect.ts';
import { parseUpstreamFault } from '../upstream-fault.ts';
import { createResponseReader, readCompleteResponse } from './response-reader.ts';
import { writeRequest } from './write-request.ts';

/** The Gemini dialect: generateContent and streamGenerateContent. */
export const geminiDialect: UpstreamDialect = {
  name: 'gemini',
  supportedFeatures: new Set([
    'image',
    'image-url',
    'image-type',
    'assistant-media',
    'file',
    'file-type',
    'file-url',
    'audio',
    'json',
    'schema',
  ]),
  writeRequest,
  createResponseReader,
  readCompleteResponse,
  readFault: parseUpstreamFault,
};
