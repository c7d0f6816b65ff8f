// Preloaded into the server: SIGUSR2 starts V8's profiler on the main thread, a second one writes its file.
// So the profile holds warm code under load and nothing of the start.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const session = new Session();
  session.connect();
  const post = (method, parameters) =>
    new Promise((resolve, reject) => {
      session.post(method, parameters, (error, result) => (error ? reject(error) : resolve(result)));
    });
  process.once('SIGUSR2', async () => {
    process.once('SIGUSR2', async () => {
      const { profile } = await post('Profiler.stop');
      writeFileSync(process.env.FLOE_BENCH_PROFILE, JSON.stringify(profile));
    });
    await post('Profiler.enable');
    await post('Profiler.setSamplingInterval', { interval: 500 });
    await post('Profiler.start');
  });
}
