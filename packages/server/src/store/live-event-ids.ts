import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { getAuditKey } from './audit-context.ts';
import type { LiveEventPosition } from './live-events.ts';
import type { DatabaseReader } from './store-interfaces.ts';

/** One AES block: each number of a position has 8 bytes. */
const CIPHER = 'aes-256-ecb';
const BLOCK_BYTES = 16;

/**
 * Returns the id of a live event for the clients of its organization. The id is encrypted, because all organizations share
 * the numbers of positions: the difference between two numbers would show how many events the others had. Equal positions
 * have equal ids, which do not show their order.
 * @param position of an event of the organization, because the position of another event would show that it exists
 */
export function formatLiveEventId(
  reader: DatabaseReader,
  orgId: string,
  { xid, seq }: LiveEventPosition,
): string {
  const block = Buffer.alloc(BLOCK_BYTES);
  block.writeBigUInt64BE(BigInt(xid), 0);
  block.writeBigUInt64BE(BigInt(seq), BLOCK_BYTES / 2);
  return createCipheriv(CIPHER, deriveKey(reader, orgId), null)
    .setAutoPadding(false)
    .update(block)
    .toString('base64url');
}

/** A position after all events. A client that states it must read everything again. */
const UNKNOWN_POSITION: LiveEventPosition = { xid: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER };

/**
 * Returns the position of an id; `UNKNOWN_POSITION` for the id of another organization or of another secret key. Null if the
 * text does not have the format of an id.
 */
export function parseLiveEventId(
  reader: DatabaseReader,
  orgId: string,
  text: string,
): LiveEventPosition | null {
  const encrypted = Buffer.from(text, 'base64url');
  if (encrypted.length !== BLOCK_BYTES || encrypted.toString('base64url') !== text) return null;
  const block = createDecipheriv(CIPHER, deriveKey(reader, orgId), null)
    .setAutoPadding(false)
    .update(encrypted);
  const xid = Number(block.readBigUInt64BE(0));
  const seq = Number(block.readBigUInt64BE(BLOCK_BYTES / 2));
  return Number.isSafeInteger(xid) && Number.isSafeInteger(seq) ? { xid, seq } : UNKNOWN_POSITION;
}

function deriveKey(reader: DatabaseReader, orgId: string): Buffer {
  return createHmac('sha256', getAuditKey(reader)).update(`live event ids\0${orgId}`).digest();
}
