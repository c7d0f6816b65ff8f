/** Request sizes that are measured: a chat turn, a long prompt, a document, a very long context. */
export const BODY_BYTES = { '1.6 KB': 1_600, '30 KB': 30_000, '300 KB': 300_000, '1 MB': 1_000_000 } as const;
export type BodyName = keyof typeof BODY_BYTES;
export const BODIES: readonly BodyName[] = ['1.6 KB', '30 KB', '300 KB', '1 MB'];

/** Escapes and characters outside Latin-1, as prompts have them everywhere but in English prose. */
const PROSE =
  'The window froze overnight – “like glass on glass”, she wrote.\n\tName: "Zoë"; path: C:\\data\\новое. 日本 ✓ ';

interface ChatBodyOptions {
  readonly model: string;
  readonly bytes: number;
  /** Events and their distance, for a stream. */
  readonly stream?: { readonly events: number; readonly delayMs: number };
}

/** A Chat request of exactly `bytes` bytes, with the turns, tool and settings real ones have. */
export function buildBenchBody({ model, bytes, stream }: ChatBodyOptions): Buffer {
  const asksStream = stream && {
    stream: true,
    // Asked for by the client itself, so that every gateway passes the same frames.
    stream_options: { include_usage: true },
    user: `c${stream.events}d${stream.delayMs}`,
  };
  const make = (messages: readonly object[]) =>
    Buffer.from(
      JSON.stringify({
        model,
        temperature: 0.2,
        max_tokens: 400,
        ...asksStream,
        messages,
        tools: [TOOL],
        metadata: { model: 'not-this-one' },
      }),
    );
  const system = { role: 'system', content: 'Answer briefly.\nName your sources.' };
  const messages: object[] = [system];
  const turn = { role: 'user', content: PROSE.repeat(Math.ceil(Math.min(4_000, bytes / 3) / PROSE.length)) };
  const turnBytes = Buffer.byteLength(JSON.stringify(turn)) + 1;
  let left = bytes - make([system, { role: 'user', content: '' }]).length;
  for (; left >= turnBytes; left -= turnBytes) messages.push(turn);
  messages.push({ role: 'user', content: 'x'.repeat(Math.max(0, left)) });
  return make(messages);
}

const TOOL = {
  type: 'function',
  function: {
    name: 'look_up',
    description: 'Looks a term up.',
    parameters: { type: 'object', properties: { model: { type: 'string' } }, required: ['model'] },
  },
};

/** The whole request as bytes, for loads on bare sockets. */
export function buildBenchRequest(
  path: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}
