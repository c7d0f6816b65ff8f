/** The answers of the mock upstream, built once and handed to either of its programs on standard input. */

/** The dialect a mock speaks. */
export type MockDialect = 'chat' | 'messages';

/** Content events in the block an unpaced stream is sent in. `mock.c` has the same number. */
export const BURST_EVENTS = 32;

const TEXT =
  'Frost grows from the edge of the pane inwards; the middle stays clear – a “window” in the ice, and the light behind it is blue at that hour. ';
const WORDS = ' the frost of the window';

/** What a dialect says: a whole answer, and a stream from its beginning over one content event to its end. */
interface AnswerBlocks {
  readonly whole: object;
  readonly begin: string;
  readonly event: string;
  readonly end: string;
}

/** Answer, first, event, burst and last, in the order the programs expect them. */
export function mockBlocks(dialect: MockDialect): Buffer[] {
  const { whole, begin, event: one, end } = dialect === 'chat' ? chat() : messages();
  const event = chunk(one);
  const last = `${chunk(end)}0\r\n\r\n`;
  const blocks = [
    wholeAnswer(whole),
    `${streamHead()}${chunk(begin)}${event}`,
    event,
    event.repeat(BURST_EVENTS),
    last,
  ];
  return blocks.map((text) => Buffer.from(text));
}

/** Each block behind its length, as the programs read them. */
export function encodeBlocks(blocks: readonly Buffer[]): Buffer {
  return Buffer.concat(blocks.flatMap((block) => [Buffer.from(`${block.length}\n`), block]));
}

export function decodeBlocks(bytes: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = bytes.indexOf('\n', at) + 1;
    const end = start + Number(bytes.toString('latin1', at, start - 1));
    blocks.push(bytes.subarray(start, end));
    at = end;
  }
  return blocks;
}

function wholeAnswer(whole: object): string {
  const body = JSON.stringify(whole);
  const length = Buffer.byteLength(body);
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req_bench\r\ncontent-length: ${length}\r\n\r\n${body}`;
}

function streamHead(): string {
  return 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nx-request-id: req_bench\r\ntransfer-encoding: chunked\r\n\r\n';
}

/** A chunk of HTTP's chunked coding (RFC 9112, 7.1). */
function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** As OpenAI's Chat Completions answer. */
function chat(): AnswerBlocks {
  const head = {
    id: 'chatcmpl-bench0000000000000000000',
    created: 1_790_000_000,
    model: 'gpt-4.1-mini-2025-04-14',
    system_fingerprint: 'fp_bench00000',
  };
  const usage = {
    prompt_tokens: 412,
    completion_tokens: 71,
    total_tokens: 483,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  };
  const message = { role: 'assistant', content: TEXT, refusal: null, annotations: [] };
  const frame = (members: object) =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...members })}\n\n`;
  const delta = (said: object, finish: string | null = null) =>
    frame({ choices: [{ index: 0, delta: said, logprobs: null, finish_reason: finish }] });
  return {
    whole: {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
      usage,
      service_tier: 'default',
    },
    begin: delta({ role: 'assistant', content: '' }),
    event: delta({ content: WORDS }),
    end: `${delta({}, 'stop')}${frame({ choices: [], usage })}data: [DONE]\n\n`,
  };
}

/** As Anthropic's Messages answer. */
function messages(): AnswerBlocks {
  const usage = {
    input_tokens: 412,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 71,
    service_tier: 'standard',
  };
  const head = {
    id: 'msg_bench000000000000000',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5-20250929',
  };
  const frame = (type: string, members: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
  const message = { ...head, content: [], stop_reason: null, stop_sequence: null, usage };
  const stopped = { stop_reason: 'end_turn', stop_sequence: null };
  return {
    whole: { ...head, content: [{ type: 'text', text: TEXT }], ...stopped, usage },
    begin: `${frame('message_start', { message })}${frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })}`,
    event: frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text: WORDS } }),
    end: [
      frame('content_block_stop', { index: 0 }),
      frame('message_delta', { delta: stopped, usage: { output_tokens: 71 } }),
      frame('message_stop', {}),
    ].join(''),
  };
}
