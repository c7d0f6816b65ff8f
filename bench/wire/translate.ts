// CPU per stream event of translating, beside forwarding and beside parse + stringify of the same bytes.
// node bench/wire/translate.ts. Single process, no sockets; the least of 15 rounds, for the machine is shared.
import { Buffer } from 'node:buffer';
import { ChatStreamForwarder } from '../../packages/wire/src/chat/stream-forwarder.ts';
import type { ResponseWriteContext } from '../../packages/wire/src/dialect.ts';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../../packages/wire/src/dialects.ts';
import type { CanonicalRequest } from '../../packages/wire/src/request.ts';
import { parseSseFrame, SseFramer } from '../../packages/wire/src/sse.ts';

const EVENTS = 220;
const ROUNDS = 15;
const REPEAT = 40;

const ask: CanonicalRequest = {
  dialect: 'chat',
  model: 'lab/model',
  stream: true,
  streamUsage: true,
  system: [],
  turns: [],
  tools: [],
  stop: [],
  sampling: {},
  requiredFeatures: new Map(),
  dropped: [],
};
const context: ResponseWriteContext = {
  request: ask,
  id: 'bench',
  requestId: 'req_bench',
  createdS: 1_800_000_000,
  nowS: () => 1_800_000_000,
};

const chunk = (delta: object, finish: string | null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-Bench0123456789abcdefghij',
    object: 'chat.completion.chunk',
    created: 1_800_000_000,
    model: 'sample-model-2026-08-01',
    service_tier: 'default',
    system_fingerprint: 'fp_0123456789',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    usage: null,
    obfuscation: 'abcdefgh',
  })}\n\n`;
const chat = Buffer.from(
  `${chunk({ role: 'assistant', content: '' }, null)}${Array.from({ length: EVENTS }, (_, index) => chunk({ content: ` word${index}` }, null)).join('')}${chunk({}, 'stop')}data: [DONE]\n\n`,
);
const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const messages = Buffer.from(
  [
    event('message_start', {
      message: { id: 'msg_1', model: 'sample', usage: { input_tokens: 9, output_tokens: 1 } },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...Array.from({ length: EVENTS }, (_, index) =>
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: ` word${index}` } }),
    ),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 220 } }),
    event('message_stop', {}),
  ].join(''),
);

function pieces(body: Buffer): Buffer[] {
  const size = 1_400;
  return Array.from({ length: Math.ceil(body.length / size) }, (_, at) =>
    body.subarray(at * size, (at + 1) * size),
  );
}

function translate(
  upstream: keyof typeof UPSTREAM_DIALECTS,
  client: keyof typeof CLIENT_DIALECTS,
  body: readonly Buffer[],
): number {
  const writer = CLIENT_DIALECTS[client].createResponseWriter(context);
  let out = '';
  const reader = UPSTREAM_DIALECTS[upstream].createResponseReader(
    (answer) => {
      out += writer.write(answer);
    },
    { id: 'bench' },
  );
  const framer = new SseFramer();
  let written = 0;
  for (const piece of body) {
    const { bytes, lead, ends } = framer.push(piece);
    let from = lead;
    for (const end of ends) {
      const frame = parseSseFrame(bytes.subarray(from, end));
      if (frame) reader.read(frame);
      from = end;
    }
    written += Buffer.byteLength(out);
    out = '';
  }
  reader.end();
  return written;
}

function parseAndStringify(body: readonly Buffer[]): number {
  const framer = new SseFramer();
  let written = 0;
  for (const piece of body) {
    const { bytes, lead, ends } = framer.push(piece);
    let from = lead;
    for (const end of ends) {
      const frame = parseSseFrame(bytes.subarray(from, end));
      if (frame && frame.data !== '[DONE]') written += JSON.stringify(JSON.parse(frame.data)).length;
      from = end;
    }
  }
  return written;
}

function forward(body: readonly Buffer[]): number {
  const stream = new ChatStreamForwarder({
    stripReasoning: false,
    thinkTags: false,
    dropUsageFrame: false,
    choices: 1,
  });
  let written = 0;
  for (const piece of body) written += stream.push(piece)?.length ?? 0;
  return written;
}

const chatPieces = pieces(chat);
const messagesPieces = pieces(messages);
const runs: readonly (readonly [string, () => number])[] = [
  ['chat forwarded as bytes', () => forward(chatPieces)],
  ['chat parsed and stringified', () => parseAndStringify(chatPieces)],
  ['chat -> messages', () => translate('chat', 'messages', chatPieces)],
  ['chat -> responses', () => translate('chat', 'responses', chatPieces)],
  ['messages -> chat', () => translate('messages', 'chat', messagesPieces)],
  ['messages -> responses', () => translate('messages', 'responses', messagesPieces)],
];
const least = new Map<string, number>();
for (let round = 0; round < ROUNDS; round += 1)
  for (const [name, run] of runs) {
    const started = process.cpuUsage();
    for (let count = 0; count < REPEAT; count += 1) run();
    const { user, system } = process.cpuUsage(started);
    const each = (user + system) / (REPEAT * EVENTS);
    least.set(name, Math.min(least.get(name) ?? Number.POSITIVE_INFINITY, each));
  }
const forwarded = least.get('chat forwarded as bytes') ?? 0;
for (const [name, micros] of least)
  console.log(
    `${name.padEnd(30)} ${micros.toFixed(2)} µs per event, ${(micros - forwarded).toFixed(2)} over forwarding`,
  );
