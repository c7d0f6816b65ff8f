// What a decision of the relay costs: 500 rules, commands of every day and hostile ones, 200 a second on one core.
//   node bench/relay.mjs            (the project's Node)
// Prints CPU and latency per decision: the pure engine as fast as it goes, and paced at 200/s for 20 seconds.
import { readFileSync } from 'node:fs';
import { RelaySchema } from '../packages/contract/src/config/relay.ts';
import { compileRelayConfig } from '../packages/relay/src/compile-relay-config.ts';
import { evaluateRelayEvent } from '../packages/relay/src/evaluate-event.ts';
import { loadShellParser } from '../packages/relay/src/shell/shell-parser.ts';

const RULES = 500;
const PER_SECOND = 200;
const SECONDS = Number(process.env.SECONDS ?? 20);
const corpus = (name) =>
  JSON.parse(readFileSync(new URL(`../packages/relay/src/corpus/${name}.json`, import.meta.url), 'utf8'));

const own = corpus('rules').rules;
const more = Array.from({ length: RULES - own.length }, (_, n) => ruleOf(n));
const started = performance.now();
const relay = compileRelayConfig(RelaySchema.parse({ mode: 'enforce', rules: [...own, ...more] }));
console.log(`compiling ${RULES} rules: ${(performance.now() - started).toFixed(0)} ms`);
const grammar = await loadShellParser();
const identity = { key: 'laptops', team: 'platform', owner: 'ana@acme.example' };
const commands = [
  ...corpus('benign').commands,
  ...corpus('benign').commands,
  ...corpus('hostile').cases.map(({ command }) => command),
].sort((one, other) => hashOf(one) - hashOf(other));

/** One kind of rule after the other: names, flags, paths, conditions on what matched, rules of other teams. */
function ruleOf(n) {
  const name = `rule-${n}`;
  switch (n % 5) {
    case 0:
      return {
        name,
        on: 'shell',
        match: { command: `tool-${n}`, any_flag: ['-f', '--force'] },
        decision: 'deny',
      };
    case 1:
      return { name, on: 'shell', match: { command: 'git', subcommand: `sub-${n}` }, decision: 'ask' };
    case 2:
      return {
        name,
        on: ['file_read', 'file_write'],
        match: { path: [`~/secret-${n}/*`, `/srv/${n}/*`] },
        decision: 'deny',
      };
    case 3:
      return {
        name,
        on: 'shell',
        match: { command: ['git', 'npm'] },
        when: `command.args.exists(a, a == 'never-${n}')`,
        decision: 'deny',
      };
    default:
      return { name, on: 'shell', who: { teams: `team-${n}` }, match: { command: '*' }, decision: 'deny' };
  }
}

function hashOf(text) {
  let hash = 7;
  for (const char of text) hash = (hash * 31 + char.charCodeAt(0)) % 1_000_003;
  return hash;
}

function once(command) {
  const event = {
    event: 'shell',
    agent: { name: 'bench' },
    cwd: '/srv/app',
    shell: { command, dialect: 'bash' },
  };
  return evaluateRelayEvent(event, { relay, grammar, identity, nowMs: Date.now() });
}

for (const command of commands) once(command);
const cpu = process.cpuUsage();
const from = performance.now();
let count = 0;
while (performance.now() - from < 5_000)
  for (const command of commands.slice(0, 100)) count += once(command) ? 1 : 0;
const used = process.cpuUsage(cpu);
console.log(
  `unpaced: ${(count / 5).toFixed(0)} decisions/s, ${((used.user + used.system) / count).toFixed(0)} µs of CPU each`,
);

const taken = [];
const cpuTaken = [];
let n = 0;
const start = performance.now();
await new Promise((resolve) => {
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - start) / 1000) * PER_SECOND);
    for (; n < due; n += 1) {
      const before = performance.now();
      const cpuBefore = process.cpuUsage();
      once(commands[n % commands.length]);
      taken.push(performance.now() - before);
      const spent = process.cpuUsage(cpuBefore);
      cpuTaken.push((spent.user + spent.system) / 1000);
    }
    if (n < PER_SECOND * SECONDS) return;
    clearInterval(timer);
    resolve();
  }, 1);
});
const at = (values, share) =>
  values[Math.min(values.length - 1, Math.floor(values.length * share))].toFixed(2);
const shown = (values) => {
  values.sort((one, other) => one - other);
  return `p50 ${at(values, 0.5)} ms, p99 ${at(values, 0.99)} ms, most ${at(values, 1)} ms`;
};
console.log(`paced at ${PER_SECOND}/s, ${taken.length} decisions, ${RULES} rules`);
console.log(`  wall clock: ${shown(taken)}`);
console.log(`  CPU of the process, collector included: ${shown(cpuTaken)}`);
