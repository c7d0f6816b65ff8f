import type { ServerEnvironment } from '../../config/environment.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { systemClock } from '../../core/clock.ts';
import { announceStart } from '../announce-start.ts';
import { openServerOutput } from '../server-output.ts';
import { recordUnhandledRejections } from '../unhandled-rejections.ts';
import { createProcessStarter } from './cluster-processes.ts';
import { LogPipe } from './log-pipe.ts';
import { Supervisor } from './supervisor.ts';

/** Runs the server in `count` processes, and handles the signals for all of them. */
export async function superviseProcesses(
  environment: ServerEnvironment,
  { config }: LoadedConfig,
  count: number,
): Promise<void> {
  const output = openServerOutput(environment.logLevel, () => config.log.access);
  recordUnhandledRejections(output.log);
  const supervisor = new Supervisor({
    count,
    fork: createProcessStarter(count, new LogPipe(output.destination)),
    clock: systemClock,
    log: output.log,
    announce: (report) => announceStart(report, output),
    exit: (code) => process.exit(code),
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => supervisor.stop(signal));
  process.on('SIGHUP', () => supervisor.reload());
  process.on('SIGUSR2', () => void supervisor.restart());
  await supervisor.start();
}
