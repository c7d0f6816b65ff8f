// Our own recordings: small, made up, one scenario each, in every upstream dialect.

import type { Buffer } from 'node:buffer';
import { readdirSync, readFileSync } from 'node:fs';
import { convertSseToEventStream } from '@floe/testkit/amazon-event-stream';
import type { RecordedDialect } from './recordings.ts';

const FOLDER = new URL('../recordings/', import.meta.url);
const DIALECTS: readonly RecordedDialect[] = [
  'chat',
  'responses',
  'messages',
  'gemini',
  'converse',
  'cohere',
];

export interface RecordedStream {
  readonly dialect: RecordedDialect;
  readonly scenario: string;
  /** As the provider sends it: Converse in binary frames. */
  readonly body: Buffer;
  /** The same as server-sent events. */
  readonly sse: Buffer;
}

export const RECORDED_STREAMS: readonly RecordedStream[] = readdirSync(FOLDER).flatMap((file) => {
  const match = /^([a-z]+)-(.+)\.sse$/.exec(file);
  const dialect = DIALECTS.find((name) => name === match?.[1]);
  if (dialect === undefined) return [];
  const sse = readFileSync(new URL(file, FOLDER));
  const body = dialect === 'converse' ? convertSseToEventStream(sse.toString('utf8')) : sse;
  return [{ dialect, scenario: match?.[2] ?? '', body, sse }];
});

export function findRecordedStream(dialect: RecordedDialect, scenario: string): RecordedStream {
  const found = RECORDED_STREAMS.find((entry) => entry.dialect === dialect && entry.scenario === scenario);
  if (!found) throw new Error(`no recording ${dialect}-${scenario}`);
  return found;
}
