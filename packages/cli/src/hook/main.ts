// What bin/floe-hook.mjs starts: one process for one event of an agent, so every import here is paid each time.
import { HOOK_ADAPTERS } from '@floe/relay/hooks/adapters';
import { answerHook } from './answer-hook.ts';
import { bundleDirectory, takesRefresh } from './bundle-cache.ts';
import { readSettings, settingsPlaces } from './settings.ts';
import { PROBE_MS } from './unresponsive-server.ts';

/** Answers the agent's hook on standard input; resolves to the exit code when everything is printed. */
export async function hookMain(agent: string): Promise<number> {
  const adapter = HOOK_ADAPTERS.get(agent);
  if (!adapter) {
    process.stderr.write(
      `floe: no agent is called "${agent}" here; known are ${[...HOOK_ADAPTERS.keys()].join(', ')}\n`,
    );
    // Not 2: that would stop whatever the agent is about to do.
    return 1;
  }
  const places = settingsPlaces();
  const settings = readSettings(places);
  const { reply, trouble, wasSkipped } = await answerHook(adapter, process.stdin, places, settings);
  const { stdout, stderr, exitCode } = reply;
  // Where an exit code stops, agents take all of the error output as the reason.
  const told =
    stderr !== '' ? stderr : trouble === null ? '' : `floe: no decision of the server: ${trouble}\n`;
  if (told !== '') await written(process.stderr, told);
  if (stdout !== null) await written(process.stdout, `${JSON.stringify(stdout)}\n`);
  const everyMs = trouble === null ? settings.refreshMs : wasSkipped ? PROBE_MS : null;
  if (settings.key !== null && everyMs !== null)
    await refreshSoon(bundleDirectory(places, settings), everyMs);
  return exitCode;
}

/** In a process of its own: agents wait until this one has ended. */
async function refreshSoon(directory: string, refreshMs: number): Promise<void> {
  if (!takesRefresh(directory, refreshMs, Date.now())) return;
  const { spawn } = await import('node:child_process');
  const { fileURLToPath } = await import('node:url');
  const program = fileURLToPath(new URL('../../bin/floe-hook.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, '--refresh'], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}

export async function refreshMain(): Promise<number> {
  const places = settingsPlaces();
  const { refreshBundle } = await import('./refresh.ts');
  return refreshBundle(places, readSettings(places)).then(
    () => 0,
    () => 1,
  );
}

function written(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    // An agent that no longer listens has its answer all the same.
    stream.on('error', () => resolve());
    stream.write(text, () => resolve());
  });
}
