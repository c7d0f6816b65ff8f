import { crc32 } from 'node:zlib';

/** Encodes one frame of `application/vnd.amazon.eventstream`, with text headers and both checksums. */
export function encodeEventStreamFrame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const written = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const head = Buffer.from([name.length]);
      const length = Buffer.alloc(3);
      length.writeUInt8(7, 0);
      length.writeUInt16BE(Buffer.byteLength(value), 1);
      return Buffer.concat([head, Buffer.from(name), length, Buffer.from(value)]);
    }),
  );
  return encodeFrame(written, Buffer.from(payload));
}

/** Returns whether a content type is that of an AWS event stream. */
export function isAmazonEventStream(contentType: string): boolean {
  return contentType.startsWith('application/vnd.amazon.eventstream');
}

/** Returns the JSON payload of a frame. */
export function getFramePayload(frame: Buffer): string {
  return frame.toString('utf8', 12 + frame.readUInt32BE(4), frame.length - 4);
}

/** Returns the frame with another payload and correct checksums. */
export function replaceFramePayload(frame: Buffer, payload: string): Buffer {
  const headers = frame.subarray(12, 12 + frame.readUInt32BE(4));
  return encodeFrame(headers, Buffer.from(payload));
}

function encodeFrame(headers: Buffer, body: Buffer): Buffer {
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const frame = Buffer.concat([prelude, headers, body]);
  const end = Buffer.alloc(4);
  end.writeUInt32BE(crc32(frame), 0);
  return Buffer.concat([frame, end]);
}

/**
 * Converts server-sent event text to a stream of binary frames, so that recordings can be stored as
 * readable text. An `error` event (`{"error":{"type","message"}}`) becomes an exception frame.
 * `wrapped` puts every event into a `chunk` frame as base64, as in responses of another dialect.
 */
export function convertSseToEventStream(sse: string, wrapped = false): Buffer {
  const frames = sse.split('\n\n').flatMap((block) => {
    const event = /^event: (.*)$/m.exec(block)?.[1] ?? 'message';
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (data === undefined) return [];
    const type = { ':content-type': 'application/json' };
    const failure = event === 'error' ? parseStreamFailure(data) : undefined;
    if (failure)
      return [
        encodeEventStreamFrame(
          { ':exception-type': failure.type, ...type, ':message-type': 'exception' },
          JSON.stringify({ message: failure.message }),
        ),
      ];
    const named = { ':event-type': wrapped ? 'chunk' : event, ...type, ':message-type': 'event' };
    const payload = wrapped
      ? JSON.stringify({ bytes: Buffer.from(data).toString('base64'), p: 'abc' })
      : data;
    return [encodeEventStreamFrame(named, payload)];
  });
  return Buffer.concat(frames);
}

function parseStreamFailure(data: string): { readonly type: string; readonly message: string } | undefined {
  const { error }: { error?: { type?: string; message?: string } } = JSON.parse(data);
  return error && { type: error.type ?? 'internalServerException', message: error.message ?? '' };
}
