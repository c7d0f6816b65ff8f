// Every recorded exchange: our own, and those beside the project where there are any.
import { type Buffer, isUtf8 } from 'node:buffer';
import { loadProjectRecordings } from '@floe/testkit/recordings';
import { loadSharedRecordings } from '@floe/testkit/shared-recordings';

export type RecordedDialect = 'chat' | 'responses' | 'messages' | 'gemini' | 'converse' | 'cohere';

export interface RecordedExchange {
  /** Origin, file and number of the exchange in it. */
  readonly name: string;
  readonly provider: string;
  readonly path: string;
  /** Undefined where the recorder kept none. */
  readonly request: unknown;
  readonly status: number;
  /** The answer is a stream; an error in JSON is none, whatever was asked for. */
  readonly stream: boolean;
  readonly body: Buffer;
  /** False for text that is not UTF-8, which nobody may take for an answer. */
  readonly readable: boolean;
}

const DIALECTS: readonly (readonly [RegExp, RecordedDialect])[] = [
  [/\/chat\/completions$/, 'chat'],
  [/\/responses$/, 'responses'],
  [/\/messages$/, 'messages'],
  [/:(stream)?generateContent$/i, 'gemini'],
  [/\/converse(-stream)?$/, 'converse'],
  [/\/v2\/chat$/, 'cohere'],
];
/** Their Chat dialect is translated or has members of its own, and is not forwarded. */
const TRANSLATED_PROVIDERS = ['cohere', 'perplexity', 'anthropic', 'gemini', 'bedrock', 'vertex'];

/** Every recorded answer of the Chat dialect that is forwarded as it came. */
export function chatRecordings(): readonly RecordedExchange[] {
  return allRecordings().filter(
    (recording) =>
      recordedDialect(recording) === 'chat' && !TRANSLATED_PROVIDERS.includes(recording.provider),
  );
}

export function recordedDialect({ path }: Pick<RecordedExchange, 'path'>): RecordedDialect | undefined {
  return DIALECTS.find(([pattern]) => pattern.test(path.split('?')[0] ?? ''))?.[1];
}

export function allRecordings(): readonly RecordedExchange[] {
  const origins = [
    ['own', loadProjectRecordings()],
    ['shared', loadSharedRecordings().recordings],
  ] as const;
  return origins.flatMap(([origin, recordings]) =>
    recordings.flatMap(({ file, provider, interactions }) =>
      interactions.map(({ path, requestBody, status, headers, body }, at) => {
        const type = headers['content-type'] ?? '';
        return {
          name: `${origin}/${file}#${at}`,
          provider,
          path,
          request: requestBody,
          status,
          stream: /event-?stream|ndjson/.test(type),
          body,
          readable: type.includes('amazon.eventstream') || isUtf8(body),
        };
      }),
    ),
  );
}
