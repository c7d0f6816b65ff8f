// Run by scripts/test-clients.mjs --hooks with the directory the agents are installed in, why they are not there, and
// a pattern of names to run. Ends with 1 when an agent did not do what its hook said.
import { join } from 'node:path';
import { startDialectGateway } from '../dialect-gateway.ts';
import { AGENT_DEFINITIONS, type AgentDefinition } from './agent-definitions.ts';
import { HOOK_SCENARIOS, type HookDefinition, RELAY_CONFIG, runHookScenario } from './hook-runs.ts';

const place = process.argv[2] ?? '.';
const absent: Record<string, string> = JSON.parse(process.argv[3] ?? '{}');
const pattern = new RegExp(process.argv[4] ?? '', 'i');

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const named = (name: string): AgentDefinition => {
  const definition = AGENT_DEFINITIONS.find((one) => one.name === name);
  if (!definition) throw new Error(`no definition of ${name}`);
  return definition;
};

/** Hooks of a user are passed over until somebody trusts them in a dialog; a run without a terminal says so itself. */
const codex = named('Codex');
const trusting: AgentDefinition = {
  ...codex,
  args: (at) =>
    codex.args(at).flatMap((arg) => (arg === 'exec' ? [arg, '--dangerously-bypass-hook-trust'] : [arg])),
};

const HOOKED: readonly HookDefinition[] = [
  { agent: 'claude-code', definition: named('Claude Code'), dialect: 'messages' },
  { agent: 'codex', definition: trusting, dialect: 'responses' },
  { agent: 'copilot-cli', definition: named('Copilot CLI, completions'), dialect: 'chat' },
];

let failures = 0;
let runs = 0;
if (absent['agents'] !== undefined) throw new Error(absent['agents']);
const harness = await startDialectGateway({ relay: RELAY_CONFIG });
try {
  for (const hooked of HOOKED.filter(({ definition }) => pattern.test(definition.name)))
    for (const situation of HOOK_SCENARIOS.flatMap((one) => Array.from({ length: one.times }, () => one))) {
      const faults = await runHookScenario(hooked, situation, harness, join(place, 'agents'));
      runs += 1;
      if (faults.length > 0) failures += 1;
      process.stdout.write(
        `${faults.length === 0 ? 'ok  ' : 'FAIL'} ${hooked.definition.name}: ${situation.name}\n`,
      );
      for (const fault of faults) process.stdout.write(`     ${fault}\n`);
    }
} finally {
  await harness.close();
}
process.stdout.write(`${runs} runs, ${failures} failures\n`);
process.exitCode = failures === 0 && runs > 0 ? 0 : 1;
