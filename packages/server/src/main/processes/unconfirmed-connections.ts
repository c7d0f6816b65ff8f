import type { ChildProcess } from 'node:child_process';
import { isJsonObject } from '@floe/contract/json';

/** A connection that the supervisor passes to a process. */
interface ConnectionHandle {
  close(): void;
}

/**
 * Closes connections if the process to which they were passed exits before it confirms them. Otherwise,
 * `node:cluster` (Node 26) keeps such a connection open without an owner, and its client waits forever.
 */
export function closeUnconfirmedConnectionsOnExit(child: ChildProcess): void {
  const unconfirmed = new Map<number, ConnectionHandle>();
  const send = Reflect.get(child, 'send');
  const sendAndRecord = (message: unknown, handle: unknown, ...rest: unknown[]) => {
    if (isJsonObject(message) && message['act'] === 'newconn' && isConnectionHandle(handle))
      unconfirmed.set(Number(message['seq']), handle);
    return Reflect.apply(send, child, [message, handle, ...rest]);
  };
  Object.assign(child, { send: sendAndRecord });
  child.on('internalMessage', (message: unknown) => {
    if (isJsonObject(message)) unconfirmed.delete(Number(message['ack']));
  });
  child.once('exit', () => {
    for (const handle of unconfirmed.values()) handle.close();
    unconfirmed.clear();
  });
}

function isConnectionHandle(value: unknown): value is ConnectionHandle {
  return isJsonObject(value) && typeof Reflect.get(value, 'close') === 'function';
}
