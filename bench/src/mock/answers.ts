/** The answers of the mock upstream, built once and handed to either of its programs on standard input. */

/** Content events in the block an unpaced stream is sent in. `mock.c` has the same number. */
export const BURST = 32;

/** Frames of a whole stream beside its content events: role, finish, usage, `[DONE]`. */
export const FIXED_FRAMES = 4;

const HEAD = {
  id: 'chatcmpl-bench0000000000000000000',
  created: 1_790_000_000,
  model: 'gpt-4.1-mini-2025-04-14',
};
const TEXT =
  'Frost grows from the edge of the pane inwards; the middle stays clear – a “window” in the ice, and the light behind it is blue at that hour. ';
const USAGE = {
  prompt_tokens: 412,
  completion_tokens: 71,
  total_tokens: 483,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
};

/** Answer, first, event, burst and last, in the order the programs expect them. */
export function mockBlocks(): Buffer[] {
  const event = chunk(frame({ choices: [choice({ content: ' the frost of the window' })] }));
  const first = chunk(frame({ choices: [choice({ role: 'assistant', content: '' })] }));
  const finish = frame({ choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }] });
  const last = `${chunk(`${finish}${frame({ choices: [], usage: USAGE })}data: [DONE]\n\n`)}0\r\n\r\n`;
  return [wholeAnswer(), `${streamHead()}${first}${event}`, event, event.repeat(BURST), last].map((text) =>
    Buffer.from(text),
  );
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

function wholeAnswer(): string {
  const message = { role: 'assistant', content: TEXT, refusal: null, annotations: [] };
  const body = JSON.stringify({
    ...HEAD,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage: USAGE,
    service_tier: 'default',
    system_fingerprint: 'fp_bench00000',
  });
  const length = Buffer.byteLength(body);
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req_bench\r\ncontent-length: ${length}\r\n\r\n${body}`;
}

function streamHead(): string {
  return 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nx-request-id: req_bench\r\ntransfer-encoding: chunked\r\n\r\n';
}

function choice(delta: object): object {
  return { index: 0, delta, logprobs: null, finish_reason: null };
}

function frame(members: object): string {
  const data = {
    ...HEAD,
    object: 'chat.completion.chunk',
    system_fingerprint: 'fp_bench00000',
    ...members,
  };
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** A chunk of HTTP's chunked coding (RFC 9112, 7.1). */
function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}
