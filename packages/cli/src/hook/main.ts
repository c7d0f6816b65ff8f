// bin/floe-hook.mjs starts this file, one process per event of an agent, so every import adds to each call.
import { HOOK_ADAPTERS } from '@floe/relay/hooks/hook-adapters';
import { getBundleCacheDirectory, tryClaimBundleRefresh } from './bundle-cache.ts';
import { handleAgentHook } from './handle-agent-hook.ts';
import { readHookSettings, resolveHookPaths } from './hook-settings.ts';
import { SERVER_PROBE_INTERVAL_MS } from './unresponsive-server.ts';

/**
 * Handles the hook call that an agent sends on standard input. Resolves to the exit code after all output has
 * been written.
 */
export async function runHook(agent: string): Promise<number> {
  const adapter = HOOK_ADAPTERS.get(agent);
  if (!adapter) {
    process.stderr.write(
      `floe: The agent "${agent}" is not supported. Supported agents: ${[...HOOK_ADAPTERS.keys()].join(', ')}\n`,
    );
    // Not 2, because that would block the agent's action.
    return 1;
  }
  const paths = resolveHookPaths();
  const settings = readHookSettings(paths);
  const { reply, problem, isServerSkipped } = await handleAgentHook(adapter, process.stdin, paths, settings);
  const { stdout, stderr, exitCode } = reply;
  // If the exit code blocks, agents show all of stderr as the reason.
  const message =
    stderr !== '' ? stderr : problem === null ? '' : `floe: no decision from the server: ${problem}\n`;
  if (message !== '') await writeToStream(process.stderr, message);
  if (stdout !== null) await writeToStream(process.stdout, `${JSON.stringify(stdout)}\n`);
  const intervalMs =
    problem === null ? settings.refreshMs : isServerSkipped ? SERVER_PROBE_INTERVAL_MS : null;
  if (settings.key !== null && intervalMs !== null)
    await spawnRefreshWhenDue(getBundleCacheDirectory(paths, settings), intervalMs);
  return exitCode;
}

/**
 * Starts a separate process, because agents wait until this one ends. Never rejects, because an exit code that reports
 * an error would replace the decision that has been written.
 */
async function spawnRefreshWhenDue(directory: string, refreshMs: number): Promise<void> {
  if (!tryClaimBundleRefresh(directory, refreshMs, Date.now())) return;
  try {
    await spawnRefresh();
  } catch {
    // A later hook starts the next download.
  }
}

async function spawnRefresh(): Promise<void> {
  const { spawn } = await import('node:child_process');
  const { fileURLToPath } = await import('node:url');
  const program = fileURLToPath(new URL('../../bin/floe-hook.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, '--refresh'], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}

/** Downloads the rules. A background process runs this function. Resolves to the exit code. */
export async function runBundleRefresh(): Promise<number> {
  const paths = resolveHookPaths();
  const { refreshBundle } = await import('./refresh-bundle.ts');
  return refreshBundle(paths, readHookSettings(paths)).then(
    () => 0,
    () => 1,
  );
}

function writeToStream(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    // An agent that closed its output already has its response.
    stream.on('error', () => resolve());
    stream.write(text, () => resolve());
  });
}
