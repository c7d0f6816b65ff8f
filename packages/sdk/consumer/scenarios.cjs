// What a program does with the published package, told as one JSON line per step. Plain JavaScript for Node 18.
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
process.on('unhandledRejection', (error) => say({ unhandled: String(error) }));

const scenarios = {
  /** One beat to each server, all at once; told in order. */
  async beats(Floe, servers) {
    const results = servers.map(({ url, timeoutSeconds }) => {
      const floe = new Floe({ apiKey: 'eis_test_key', baseUrl: url, timeoutSeconds, onError: () => undefined });
      return floe.heartbeat('job', { host: 'a' });
    });
    for (const { ok, attempts, error } of await Promise.all(results))
      say({ ok, attempts, class: error?.name, code: error?.code });
  },
  /** A loop alone does not keep the process. */
  async loop(Floe, [{ url }]) {
    const floe = new Floe({ apiKey: 'eis_test_key', baseUrl: url });
    floe.startHeartbeat('job', { everySeconds: 3600 });
  },
  /** A worker that the orchestrator ends. */
  async worker(Floe, [{ url }]) {
    const floe = new Floe({ apiKey: 'eis_test_key', baseUrl: url, onError: () => undefined });
    floe.startHeartbeat('job', { everySeconds: 3600, keepAlive: true, stopOnSigterm: true });
    say('ready');
  },
  /** A worker that leaves signals alone. */
  async plain(Floe, [{ url }]) {
    const floe = new Floe({ apiKey: 'eis_test_key', baseUrl: url, onError: () => undefined });
    floe.startHeartbeat('job', { everySeconds: 3600, keepAlive: true });
    say('ready');
  },
  /** A job that fails, in a program that does not handle it. */
  async failingJob(Floe, [{ url }]) {
    const floe = new Floe({ apiKey: 'eis_test_key', baseUrl: url, onError: () => undefined });
    process.removeAllListeners('unhandledRejection');
    floe.monitor('job', async () => {
      throw new Error('the job’s own');
    });
  },
  /** The event loop stands still for many intervals. */
  async blocked(Floe, [{ url }]) {
    const floe = new Floe({ apiKey: 'eis_test_key', baseUrl: url, onError: () => undefined });
    const loop = floe.startHeartbeat('job', { everySeconds: 0.3, keepAlive: true });
    while (loop.lastResult === null) await new Promise(setImmediate);
    say('blocking');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
    await new Promise(setImmediate);
    await loop.stop();
  },
};

module.exports = async (Floe) => {
  const [scenario, servers] = process.argv.slice(2);
  await scenarios[scenario](Floe, JSON.parse(servers));
};
