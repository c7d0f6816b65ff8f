// Our own recordings: small, made up, one scenario each, in every upstream dialect.

import type { Buffer } from 'node:buffer';
import { readdirSync, readFileSync } from 'node:fs';
import type { RecordedDialect } from './recordings.ts';

const FOLDER = new URL('../recordings/', import.meta.url);
const DIALECTS: readonly RecordedDialect[] = ['chat', 'responses', 'messages', 'gemini'];

export interface Sample {
  readonly dialect: RecordedDialect;
  readonly scenario: string;
  readonly body: Buffer;
}

export const SAMPLES: readonly Sample[] = readdirSync(FOLDER).flatMap((file) => {
  const match = /^([a-z]+)-(.+)\.sse$/.exec(file);
  const dialect = DIALECTS.find((name) => name === match?.[1]);
  return dialect === undefined
    ? []
    : [{ dialect, scenario: match?.[2] ?? '', body: readFileSync(new URL(file, FOLDER)) }];
});

export function sample(dialect: RecordedDialect, scenario: string): Sample {
  const found = SAMPLES.find((entry) => entry.dialect === dialect && entry.scenario === scenario);
  if (!found) throw new Error(`no recording ${dialect}-${scenario}`);
  return found;
}
