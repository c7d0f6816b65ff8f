import type { AttemptRecord, Exchange } from './exchange-record.ts';
import type { Target } from './org-catalog.ts';

/** Creates the record of an attempt that starts now and has no result yet. */
export function createAttemptRecord(x: Exchange, target: Target): AttemptRecord {
  return {
    n: x.attempts.length + 1,
    provider: target.provider.id,
    model: target.model,
    credential: target.credential.name,
    started_at: new Date(x.gateway.clock.now()).toISOString(),
    status: null,
    error: null,
    first_token_ms: null,
    duration_ms: null,
  };
}
