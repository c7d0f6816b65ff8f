import { createHash, createHmac, type KeyObject } from 'node:crypto';

/**
 * The secret part of a monitor's beat URL: derived from the installation's secret, so that it can be shown again
 * and the database alone does not give it away. Rotating raises `version`. Shaped as a UUID, which clients of other
 * heartbeat services insist on (RFC 9562, version 8: 122 bits of our own).
 */
export function deriveBeatToken(secret: KeyObject, uid: string, version: number): string {
  const bytes = createHmac('sha256', secret).update(`beat url\n${uid}\n${version}`).digest().subarray(0, 16);
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** What the store finds the monitor by. UUIDs are the same in any case. */
export function hashBeatToken(token: string): string {
  return createHash('sha256').update(token.toLowerCase()).digest('hex');
}
