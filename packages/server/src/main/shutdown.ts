import { Fault } from '@floe/contract/faults';
import { systemClock } from '../core/clock.ts';
import type { SharedGatewayDependencies } from '../gateway/shared-gateway-dependencies.ts';
import type { OpenedListeners } from './listeners.ts';
import type { ShutdownController } from './process-signals.ts';
import type { ProcessContext } from './processes/process-context.ts';
import { closeServerComponents, type ServerComponents } from './server-components.ts';
import { ShutdownSteps } from './shutdown-steps.ts';

/** Time for exchanges to close their connections after they have sent an error. */
const CLOSE_MS = 2_000;

/**
 * Time limits of the steps after the last request. With those of `closeServerComponents`, they add up to 20 seconds,
 * which is less than what remains of the grace periods of systemd and Kubernetes.
 */
const BACKGROUND_WORK_MS = 5_000;
const LAST_WRITES_MS = 4_000;
const FINAL_METRICS_MS = 1_000;

/**
 * How long new requests receive 503 before the listeners close. A load balancer without health checks, such
 * as nginx, then sends requests to another process. Without this delay, connections that wait to be accepted
 * would be reset.
 */
const REFUSE_MS = 1_000;

/** The progress of the shutdown. */
export class ShutdownState {
  /**
   * Whether the process reports that it is not ready but still serves all requests, for
   * `server.shutdown_delay_ms`.
   */
  isLeaving = false;
  /** Whether new exchanges are rejected. Exchanges in progress may finish. */
  isDraining = false;
}

interface Closable {
  close(): unknown;
}

/** The tasks and connections that must end before the components are closed. */
interface ShutdownTargets
  extends Readonly<Record<'watch' | 'retention' | 'anchors' | 'address', Closable>>,
    Readonly<Record<'delivery' | 'api' | 'sessions', { close(): Promise<void> }>> {
  readonly listening: OpenedListeners;
  readonly gateway: Pick<SharedGatewayDependencies, 'openExchanges' | 'background'>;
  readonly host: Pick<ProcessContext, 'reportFinalMetrics'>;
}

interface ShutdownTimes {
  readonly shutdown_delay_ms: number;
  readonly drain_timeout_ms: number;
}

/**
 * Creates the controller that performs the shutdown.
 * @param times returns the configured durations; called when the shutdown begins
 */
export function createShutdownController(
  parts: ServerComponents,
  phase: ShutdownState,
  targets: ShutdownTargets,
  times: () => ShutdownTimes,
): ShutdownController {
  let endDelay: (() => void) | null = null;
  async function waitForDelay(delayMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    endDelay = resolve;
    systemClock.after(delayMs, resolve);
    await promise;
    endDelay = null;
  }
  function skipDelay(): boolean {
    if (endDelay === null) return false;
    endDelay();
    return true;
  }
  return {
    async start(reason) {
      const { shutdown_delay_ms, drain_timeout_ms } = times();
      if (reason === 'restart') {
        // Other processes accept the next connections, so this one neither rejects requests nor stops being
        // ready. The delay lets clients see that their connection ends with its next response.
        targets.listening.stopAccepting();
        targets.listening.announceClose();
        await waitForDelay(shutdown_delay_ms);
        return await drainAndClose(parts, targets, drain_timeout_ms);
      }
      phase.isLeaving = true;
      targets.listening.announceClose();
      // A load balancer needs the delay. A person at a terminal would only wait.
      if (reason === 'SIGTERM' && shutdown_delay_ms > 0) {
        await waitForDelay(shutdown_delay_ms);
        phase.isDraining = true;
        await waitMs(REFUSE_MS);
      }
      phase.isDraining = true;
      await drainAndClose(parts, targets, drain_timeout_ms);
    },
    skipDelay,
    abandonRestart() {
      phase.isLeaving = true;
      phase.isDraining = true;
      skipDelay();
    },
  };
}

/**
 * Stops accepting requests, waits for those in progress, and stores the remaining data. If a store does not respond, the
 * process ends without it. As after `kill -9`, all acknowledged data is in the database or on disk.
 */
async function drainAndClose(
  parts: ServerComponents,
  targets: ShutdownTargets,
  drainMs: number,
): Promise<void> {
  const timeout = systemClock.after(drainMs, () =>
    targets.gateway.openExchanges.interruptAll(drainTimeoutFault()),
  );
  const drained = targets.listening.drain(drainMs + CLOSE_MS).finally(() => timeout.cancel());
  const steps = new ShutdownSteps(systemClock, parts.log);
  const backgroundWork = [endBackgroundWork(parts, targets), targets.delivery.close()];
  // `steps` reports an error, but only after the drain.
  for (const work of backgroundWork) work.catch(() => undefined);
  await drained;
  await steps.run('background_work', BACKGROUND_WORK_MS, backgroundWork);
  await steps.run('last_writes', LAST_WRITES_MS, [
    parts.monitoring.flush(),
    targets.api.close(),
    targets.gateway.background.close(LAST_WRITES_MS / 2),
    targets.sessions.close(),
  ]);
  await steps.run('metrics', FINAL_METRICS_MS, [targets.host.reportFinalMetrics()]);
  await closeServerComponents(parts, steps);
  steps.finish();
}

/** Ends the work that no request waits for. Requests in progress may still run. */
async function endBackgroundWork(parts: ServerComponents, targets: ShutdownTargets): Promise<void> {
  // Does not wait for anything else, because the listeners are closed. Otherwise, beats that no process accepts would count
  // as missed.
  const monitoring = parts.monitoring.stop();
  await Promise.all([monitoring, endOtherBackgroundWork(parts, targets)]);
}

async function endOtherBackgroundWork(parts: ServerComponents, targets: ShutdownTargets): Promise<void> {
  await targets.watch.close();
  targets.address.close();
  await Promise.all([targets.retention.close(), targets.anchors.close()]);
  await Promise.all([parts.live.close(), parts.jobs.close()]);
  await parts.evaluationPool.close();
}

function waitMs(ms: number): Promise<void> {
  return new Promise((resolve) => void systemClock.after(ms, resolve));
}

function drainTimeoutFault(): Fault {
  return new Fault(
    'shutting_down',
    'This process shut down before the response was complete. Retry the request.',
  );
}
