import { Fault } from '@floe/contract/faults';
import { memberEdit, type Span, scanObject, spanMembers, splice } from '@floe/wire/splice';
import { type Frames, readFrame, writeFrame } from '@floe/wire/sse';

const NAME = 'previous_response_id';

/**
 * A provider that was sent the whole conversation answers without `previous_response_id`: it does not know what the
 * client went on from. The answer says it again; every other byte stays.
 */
export function namePrevious(answer: Buffer, id: string): Buffer {
  const scanned = { body: answer, members: scanObject(answer) };
  return Buffer.from(splice(answer, [memberEdit(scanned, NAME, JSON.stringify(id))]));
}

/** The same for the response objects in events. */
export function namePreviousInEvents(frames: Frames, id: string): Frames {
  const { bytes, lead } = frames;
  if (!bytes.includes('"response"')) return frames;
  const parts = [bytes.subarray(0, lead)];
  const ends: number[] = [];
  let start = lead;
  let length = lead;
  for (const end of frames.ends) {
    const frame = named(bytes.subarray(start, end), id);
    parts.push(frame);
    length += frame.length;
    ends.push(length);
    start = end;
  }
  parts.push(bytes.subarray(start));
  return { bytes: Buffer.concat(parts), lead, ends };
}

function named(frame: Buffer, id: string): Buffer {
  const data = dataOf(frame);
  if (data === null) return frame;
  const bytes = Buffer.from(data.text);
  const response = responseIn(bytes);
  const members = response && spanMembers(bytes, response);
  if (!members) return frame;
  const edit = memberEdit({ body: bytes, members }, NAME, JSON.stringify(id), response);
  const changed = Buffer.from(splice(bytes, [edit])).toString();
  const [before, after] = frame.toString().split(data.text);
  return Buffer.from(
    before === undefined || after === undefined ? writeFrame(data.event, changed) : before + changed + after,
  );
}

function dataOf(frame: Buffer): { readonly event: string; readonly text: string } | null {
  try {
    const event = readFrame(frame);
    return event === undefined ? null : { event: event.event, text: event.data };
  } catch (error) {
    // Whoever listens to the frame says what is wrong with it.
    if (error instanceof Fault) return null;
    throw error;
  }
}

function responseIn(data: Buffer): Span | null {
  try {
    return scanObject(data).get('response') ?? null;
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}
