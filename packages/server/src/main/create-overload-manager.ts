import { statfsSync } from 'node:fs';
import { totalmem } from 'node:os';
import type { ServerConfig } from '@floe/contract/config';
import { systemClock } from '../core/clock.ts';
import { OverloadManager } from '../gateway/overload/overload-manager.ts';
import type { GatewaySnapshots } from './gateway-snapshots.ts';
import type { ServerComponents } from './server-components.ts';

const MIB = 1024 * 1024;
/** With several organizations, one of them can use 90% of it, which is more than the largest form (512 MiB). */
export const MIN_DEFAULT_BODY_DISK_MB = 1024;

/** Creates the overload manager from `server.overload`, and reports its load in the metrics. */
export function createOverloadManager(
  { log, runtime, serverProcess, dataDir }: ServerComponents,
  snapshots: GatewaySnapshots,
  limits: ServerConfig['overload'],
): OverloadManager {
  const manager = new OverloadManager(
    {
      maxConcurrentExchanges: limits.max_concurrent_requests,
      maxBodyBytes: (limits.max_body_memory_mb ?? defaultBodyMemoryMb(serverProcess.processCount)) * MIB,
      maxBodyDiskBytes:
        (limits.max_body_disk_mb ?? defaultBodyDiskMb(dataDir, serverProcess.processCount)) * MIB,
      maxEventLoopDelayMs: limits.max_event_loop_delay_ms,
    },
    {
      clock: systemClock,
      log,
      random: Math.random,
      countOrgs: () => snapshots.current().catalogs.size,
      recordRejection: (reason) => runtime.recordOverloadRejection(reason),
    },
  );
  runtime.readLoad = () => manager.load;
  return manager;
}

/** A quarter of the memory of the machine or container, shared by all of its processes, in MiB. */
function defaultBodyMemoryMb(processCount: number): number {
  const constrained = process.constrainedMemory();
  const total = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.max(64, Math.floor(total / 4 / processCount / MIB));
}

/** A tenth of the free space on the disk of the data directory, shared by all processes, in MiB. */
function defaultBodyDiskMb(dataDir: string, processCount: number): number {
  const { bavail, bsize } = statfsSync(dataDir);
  return Math.max(MIN_DEFAULT_BODY_DISK_MB, Math.floor((bavail * bsize) / 10 / processCount / MIB));
}
