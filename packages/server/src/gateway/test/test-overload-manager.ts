import type { Clock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { type OverloadLimits, OverloadManager } from '../overload/overload-manager.ts';

/** An overload manager for one organization. Without `limits`, it admits everything that tests send. */
export function createTestOverloadManager(
  clock: Clock,
  limits: OverloadLimits = {
    maxConcurrentExchanges: 1_000,
    maxBodyBytes: 1 << 30,
    maxBodyDiskBytes: 1 << 30,
    maxEventLoopDelayMs: 0,
  },
): OverloadManager {
  return new OverloadManager(limits, {
    clock,
    log: silentLog,
    random: () => 0,
    countOrgs: () => 1,
    recordRejection: () => undefined,
  });
}
