import type { Clock } from '../../core/clock.ts';
import { type Log, silentLog } from '../../core/log.ts';
import { CoordinatorClient } from '../coordinator/coordinator-client.ts';
import type { CoordinatorCall, CoordinatorReply } from '../coordinator/coordinator-protocol.ts';
import { ProcessCoordinator, type ProcessMessageSender } from '../coordinator/process-coordinator.ts';

/** A coordinator and its processes, in one process. */
export interface CoordinatedProcesses {
  readonly coordinator: ProcessCoordinator;
  /** Connects a process. Messages from and to an earlier process with this number are lost from now on. */
  connect(number: number): CoordinatorClient;
  /** While true, the coordinator does not receive messages. */
  setFrozen(isFrozen: boolean): void;
}

/** Messages are copied as JSON, as between processes. */
export function createCoordinatedProcesses(clock: Clock, log: Log = silentLog): CoordinatedProcesses {
  const clients = new Map<number, CoordinatorClient>();
  let isFrozen = false;
  let waiting: (() => void)[] = [];
  const channel: ProcessMessageSender = {
    sendReplies(number, replies) {
      const received: CoordinatorReply[] = JSON.parse(JSON.stringify(replies));
      const client = clients.get(number);
      setImmediate(() => client?.receiveReplies(received));
    },
    notifyOthers(number) {
      for (const [other, client] of clients) if (other !== number) setImmediate(() => client.receiveChange());
    },
  };
  const coordinator = new ProcessCoordinator(clock, channel, log);
  return {
    coordinator,
    connect(number) {
      const client: CoordinatorClient = new CoordinatorClient((calls) => {
        const received: CoordinatorCall[] = JSON.parse(JSON.stringify(calls));
        const deliver = () => {
          if (clients.get(number) === client) coordinator.receive(number, received);
        };
        if (isFrozen) waiting.push(deliver);
        else deliver();
      });
      clients.set(number, client);
      return client;
    },
    setFrozen(value) {
      isFrozen = value;
      if (isFrozen) return;
      const delivered = waiting;
      waiting = [];
      for (const deliver of delivered) deliver();
    },
  };
}
