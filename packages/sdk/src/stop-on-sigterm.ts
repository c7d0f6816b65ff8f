import type { HeartbeatHandle } from './heartbeat-options.ts';

interface NodeProcess {
  readonly pid: number;
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
  listenerCount(event: string): number;
  kill(pid: number, signal: string): unknown;
}

/**
 * On SIGTERM, lets the loop send its last beat. A listener disables the default effect of the signal, so the
 * signal is sent again afterwards if there is no other listener. Never calls `process.exit`. Returns a
 * function that removes the listener.
 */
export function stopOnSigterm(loop: HeartbeatHandle): () => void {
  const process: unknown = Reflect.get(globalThis, 'process');
  if (!isNodeProcess(process)) return () => undefined;
  const listener = () => {
    const alone = process.listenerCount('SIGTERM') === 1;
    void loop.stop({ final: true }).then(() => {
      if (alone) process.kill(process.pid, 'SIGTERM');
    });
  };
  process.on('SIGTERM', listener);
  return () => process.off('SIGTERM', listener);
}

function isNodeProcess(value: unknown): value is NodeProcess {
  if (typeof value !== 'object' || value === null || !('pid' in value)) return false;
  return ['on', 'off', 'listenerCount', 'kill'].every(
    (name) => typeof Reflect.get(value, name) === 'function',
  );
}
