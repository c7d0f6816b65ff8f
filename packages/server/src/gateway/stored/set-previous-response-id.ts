import { Fault } from '@floe/contract/faults';
import {
  applyByteEdits,
  type ByteSpan,
  createJsonMemberEdit,
  type ScannedJsonMembers,
  scanJsonObject,
} from '@floe/wire/json-edits';
import { scanObjectAt } from '@floe/wire/nested-members';
import { formatSseFrame, parseSseFrame, type SseFrames } from '@floe/wire/sse';
import { createUnreadableFault } from '../upstream-json.ts';

const PREVIOUS_ID_MEMBER = 'previous_response_id';

/**
 * Sets `previous_response_id` in a response. A provider that received the whole conversation in the request
 * does not know the id. All other bytes are unchanged.
 * @throws Fault `upstream_error` if the response is not a JSON object with unambiguous names
 */
export function setPreviousResponseId(answer: Buffer, id: string): Buffer {
  const scanned = { body: answer, members: scanAnswer(answer) };
  return Buffer.from(
    applyByteEdits(answer, [createJsonMemberEdit(scanned, PREVIOUS_ID_MEMBER, JSON.stringify(id))]),
  );
}

/** Scans a response. The faults of the scanner are about requests, so another one is thrown. */
function scanAnswer(answer: Buffer): ScannedJsonMembers {
  try {
    return scanJsonObject(answer);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw createUnreadableFault(answer, 'is not a valid JSON object');
  }
}

/** Sets `previous_response_id` in the response objects that events contain. */
export function setPreviousResponseIdInEvents(frames: SseFrames, id: string): SseFrames {
  const { bytes, lead } = frames;
  if (!bytes.includes('"response"')) return frames;
  const parts = [bytes.subarray(0, lead)];
  const ends: number[] = [];
  let start = lead;
  let length = lead;
  for (const end of frames.ends) {
    const frame = restoreInFrame(bytes.subarray(start, end), id);
    parts.push(frame);
    length += frame.length;
    ends.push(length);
    start = end;
  }
  parts.push(bytes.subarray(start));
  return { bytes: Buffer.concat(parts), lead, ends };
}

function restoreInFrame(frame: Buffer, id: string): Buffer {
  const data = parseFrameData(frame);
  if (data === null) return frame;
  const bytes = Buffer.from(data.text);
  const response = findResponseSpan(bytes);
  const members = response && scanObjectAt(bytes, response);
  if (!members) return frame;
  const edit = createJsonMemberEdit(
    { body: bytes, members },
    PREVIOUS_ID_MEMBER,
    JSON.stringify(id),
    response,
  );
  const changed = Buffer.from(applyByteEdits(bytes, [edit])).toString();
  const [before, after] = frame.toString().split(data.text);
  return Buffer.from(
    before === undefined || after === undefined
      ? formatSseFrame(data.event, changed)
      : before + changed + after,
  );
}

function parseFrameData(frame: Buffer): { readonly event: string; readonly text: string } | null {
  try {
    const event = parseSseFrame(frame);
    return event === undefined ? null : { event: event.event, text: event.data };
  } catch (error) {
    // The reader of the frame reports its error.
    if (error instanceof Fault) return null;
    throw error;
  }
}

function findResponseSpan(data: Buffer): ByteSpan | null {
  try {
    return scanJsonObject(data).get('response') ?? null;
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}
