import type { JsonObject } from '@floe/contract/json';

/** Returns whether a response has reached its final status. */
export function isResponseFinal({ status }: JsonObject): boolean {
  return status !== 'queued' && status !== 'in_progress';
}

const FINAL_STATUSES = ['completed', 'failed', 'cancelled', 'incomplete', 'other'] as const;
/** The final status of a response, for the access log. */
export type FinalStatus = (typeof FINAL_STATUSES)[number];

/**
 * Returns the final status for the access log, or `other` for an unknown one, because providers can send any
 * text.
 */
export function findFinalStatus({ status }: JsonObject): FinalStatus {
  return FINAL_STATUSES.find((known) => known === status) ?? 'other';
}
