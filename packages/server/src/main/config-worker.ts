import { parentPort } from 'node:worker_threads';
import { splitConfig } from '../config/config-chunks.ts';
import { ConfigError } from '../config/config-problem.ts';
import { parseConfig } from '../config/parse-config.ts';
import type { WorkerThreadMessage } from '../core/thread-pool.ts';
import type { ConfigParsingReply, ConfigParsingTask } from './config-thread.ts';
import { findConfigFileIssues } from './find-config-file-issues.ts';

const port = parentPort;
if (!port) throw new Error('config-worker.ts must run in a worker thread');
const send = (message: WorkerThreadMessage, transfer: readonly ArrayBuffer[] = []) =>
  port.postMessage(message, [...transfer]);

function readConfig({ text: fileText, variables, ...environment }: ConfigParsingTask): ConfigParsingReply {
  try {
    const {
      config,
      text: _,
      ...parsed
    } = parseConfig({
      fileText,
      env: { ...environment, variable: (name) => variables[name] },
      validateSemantics: findConfigFileIssues,
    });
    return { parsed, config: splitConfig(config) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { rejected: { path: error.path, problems: error.problems } };
  }
}

// An unexpected error ends the thread and rejects the promise of the main thread.
port.on('message', (task: ConfigParsingTask) => {
  const reply = readConfig(task);
  const bytes =
    'rejected' in reply
      ? []
      : [reply.parsed.positions.fields, ...reply.config.orgs.flatMap(({ chunks }) => chunks)];
  send(
    { reply },
    bytes.map(({ buffer }) => buffer),
  );
});
send({ ready: true });
