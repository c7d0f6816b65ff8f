import type { HeartbeatHandle } from './heartbeat-options.ts';

interface NodeProcess {
  readonly pid: number;
  prependListener(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
  listenerCount(event: string): number;
  kill(pid: number, signal: string): unknown;
}

/** The listeners of all loops in this process. */
const listeners = new Set<() => void>();

/**
 * Stops the loop on SIGTERM, after it has sent its final beat. Because a SIGTERM listener suppresses the default exit,
 * sends the signal again after all loops have stopped, unless the process has other listeners. Never calls
 * `process.exit`. Returns a function that removes the listener.
 */
export function stopOnSigterm(loop: HeartbeatHandle): () => void {
  const process: unknown = Reflect.get(globalThis, 'process');
  if (!isNodeProcess(process)) return () => undefined;
  const listener = () => {
    const alone = process.listenerCount('SIGTERM') === listeners.size;
    void loop.stop({ final: true }).then(() => {
      if (alone && listeners.size === 0) process.kill(process.pid, 'SIGTERM');
    });
  };
  listeners.add(listener);
  // Runs before the other listeners, because a listener added with `once` is not counted after it has run.
  process.prependListener('SIGTERM', listener);
  return () => {
    listeners.delete(listener);
    process.off('SIGTERM', listener);
  };
}

function isNodeProcess(value: unknown): value is NodeProcess {
  if (typeof value !== 'object' || value === null || !('pid' in value)) return false;
  return ['prependListener', 'off', 'listenerCount', 'kill'].every(
    (name) => typeof Reflect.get(value, name) === 'function',
  );
}
