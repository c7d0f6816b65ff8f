// A Prometheus on a loopback port that scrapes one address every second.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../packages/testkit/src/eventually.ts';

/**
 * Starts `program` with the scrape job `floe` for `target` (host:port) and these rules. `query` resolves to the result of an
 * instant query. `get` resolves to the data of any path of its API. Both throw with Prometheus' message on an error.
 */
export async function startPrometheus(program, { target, rulesFile }) {
  const home = mkdtempSync(join(tmpdir(), 'floe-prometheus-'));
  const port = await freePort();
  const file = join(home, 'prometheus.yml');
  writeFileSync(
    file,
    JSON.stringify({
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: [rulesFile],
      scrape_configs: [{ job_name: 'floe', static_configs: [{ targets: [target] }] }],
    }),
  );
  const options = [`--config.file=${file}`, `--storage.tsdb.path=${home}/data`, '--log.level=error'];
  const child = spawn(program, [...options, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'inherit' });
  const ended = once(child, 'exit');
  const get = async (path) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    const answer = await response.json();
    if (answer.status !== 'success') throw new Error(`${path}: ${answer.error}`);
    return answer.data;
  };
  await eventually(async () => ((await fetch(`http://127.0.0.1:${port}/-/ready`)).ok ? true : undefined));
  return {
    get,
    query: async (expression) => (await get(`query?query=${encodeURIComponent(expression)}`)).result,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** A port of the loopback interface that nothing uses. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
