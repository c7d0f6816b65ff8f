import type { Metrics } from '../../analytics/metrics.ts';
import type { Clock } from '../../core/clock.ts';
import { CoordinatorClient } from '../../store/coordinator/coordinator-client.ts';
import type { StartReport } from '../announce-start.ts';
import type { ProcessContext } from './process-context.ts';
import { isSupervisorMessage, type ProcessMessage } from './process-messages.ts';

/** Maximum time for which a scrape waits for the supervisor. */
const COLLECT_TIMEOUT_MS = 5_000;

/** The channel to the supervisor. */
export interface SupervisorChannel {
  /** Calls `sent` when the message was passed to the operating system, or could not be. */
  send(message: ProcessMessage, sent: () => void): void;
  onMessage(listener: (message: unknown) => void): void;
}

/** The channel from this process to the supervisor that started it. */
export const supervisorChannel: SupervisorChannel = {
  send(message, sent) {
    if (process.send === undefined || !process.connected) sent();
    else process.send(message, undefined, {}, sent);
  },
  onMessage: (listener) => void process.on('message', listener),
};

/** The context of a process that a supervisor started. */
export class SupervisedProcessContext implements ProcessContext {
  readonly processCount: number;
  readonly processNumber: number;
  readonly coordinator: CoordinatorClient;
  readonly #channel: SupervisorChannel;
  readonly #clock: Clock;
  readonly #collections = new Map<number, (text: string) => void>();
  #requests = 0;
  #renderOwn: () => Promise<string> = async () => '';
  #restart: () => void = () => undefined;

  constructor(
    { count, number }: { readonly count: number; readonly number: number },
    channel: SupervisorChannel,
    clock: Clock,
  ) {
    this.processCount = count;
    this.processNumber = number;
    this.coordinator = new CoordinatorClient((calls) =>
      channel.send({ type: 'coordinate', calls }, () => undefined),
    );
    this.#channel = channel;
    this.#clock = clock;
    channel.onMessage((message) => {
      if (!isSupervisorMessage(message)) return;
      if (message.type === 'coordinated') this.coordinator.receiveReplies(message.replies);
      else if (message.type === 'snapshot_changed') this.coordinator.receiveChange();
      else if (message.type === 'restart') this.#restart();
      else if (message.type === 'report_metrics') void this.#report(message.request);
      else this.#collections.get(message.request)?.(message.text);
    });
  }

  announceStart(report: StartReport): void {
    this.#channel.send({ type: 'listening', report }, () => undefined);
  }

  createEndpointMetrics({ render, contentType }: Metrics): Pick<Metrics, 'render' | 'contentType'> {
    this.#renderOwn = render;
    return { render: () => this.#collect(), contentType };
  }

  onRestart(restart: () => void): void {
    this.#restart = restart;
  }

  reportFinalMetrics(): Promise<void> {
    return this.#report(null);
  }

  async #report(request: number | null): Promise<void> {
    const text = await this.#renderOwn();
    await new Promise<void>((resolve) => this.#channel.send({ type: 'metrics', request, text }, resolve));
  }

  /** Returns the metrics of all processes. Rejects if the supervisor does not respond. */
  #collect(): Promise<string> {
    this.#requests += 1;
    const request = this.#requests;
    return new Promise((resolve, reject) => {
      const end = () => {
        timer.cancel();
        this.#collections.delete(request);
      };
      const timer = this.#clock.after(COLLECT_TIMEOUT_MS, () => {
        end();
        reject(
          new Error(
            `the supervisor did not return the metrics of the processes within ${COLLECT_TIMEOUT_MS / 1000} seconds`,
          ),
        );
      });
      this.#collections.set(request, (text) => {
        end();
        resolve(text);
      });
      this.#channel.send({ type: 'collect_metrics', request }, () => undefined);
    });
  }
}
