/** Text of the languages with the most bytes per token is still above this; markup and JSON pad it further. */
const BYTES_PER_TOKEN_AT_LEAST = 3;
/** Usual for text and JSON; what nobody counted is booked at this. */
const BYTES_PER_TOKEN = 4;
/** One event per token, as most providers stream: its frame is some 120 bytes in the leanest dialect. */
const STREAM_BYTES_PER_TOKEN = 120;
/** What a picture or a document is taken for, whatever its bytes. */
const TOKENS_PER_ATTACHMENT = 1_600;
const LONG_BODY_BYTES = 16 * 1024;
const BASE64_MARKS = [Buffer.from(';base64,'), Buffer.from('"base64"')];
/** When neither the request nor the model says how much may come out. */
export const DEFAULT_OUTPUT_TOKENS = 4_096;

/** Upper estimate of a request's input tokens, for what is reserved. */
export function inputTokensAtMost(body: Buffer): number {
  const { textBytes, attachments } = weigh(body);
  return Math.ceil(textBytes / BYTES_PER_TOKEN_AT_LEAST) + attachments * TOKENS_PER_ATTACHMENT;
}

/** Middle estimate of input tokens, for what is charged when nobody counted. */
export function inputTokensAbout(body: Buffer): number {
  const { textBytes, attachments } = weigh(body);
  return Math.ceil(textBytes / BYTES_PER_TOKEN) + attachments * TOKENS_PER_ATTACHMENT;
}

/** Middle estimate of the tokens in so many bytes of answer; in a stream most bytes are frames. */
export function outputTokensAbout(bytes: number, stream: boolean): number {
  return Math.ceil(bytes / (stream ? STREAM_BYTES_PER_TOKEN : BYTES_PER_TOKEN));
}

/** Attachments in base64 are not text: a megabyte of picture is a thousand tokens, not 300,000. */
function weigh(body: Buffer): { readonly textBytes: number; readonly attachments: number } {
  if (body.length <= LONG_BODY_BYTES) return { textBytes: body.length, attachments: 0 };
  let attachments = 0;
  let attached = 0;
  for (const mark of BASE64_MARKS)
    for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + mark.length)) {
      const bytes = longestStringAfter(body, at + mark.length);
      if (bytes === 0) continue;
      attachments += 1;
      attached += bytes;
    }
  return { textBytes: Math.max(0, body.length - attached), attachments };
}

/** Bytes up to the end of the string here, or of the next `"data"` member when none goes on here. */
function longestStringAfter(body: Buffer, from: number): number {
  const end = body.indexOf(0x22, from);
  if (end === -1) return 0;
  if (end - from > 64) return end - from;
  const data = body.indexOf('"data"', from);
  if (data === -1 || data - from > 256) return 0;
  const open = body.indexOf(0x22, data + 6);
  const close = open === -1 ? -1 : body.indexOf(0x22, open + 1);
  return close === -1 ? 0 : close - open - 1;
}
