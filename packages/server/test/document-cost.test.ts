// Documents that somebody submits: twice the document takes at most twice the steps, whatever is in it.
// Tier: ci. Measures the cost of long documents.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countSteps, startStepCounting } from './fuzz/counted-steps.ts';

await startStepCounting();
const { parseConfigDocument } = await import('../src/management/config/config-document.ts');
const { Fault } = await import('@floe/contract/faults');

const KEY = (n: number) => `eis_${String(n).padStart(40, '0')}`;
const lines = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');
const org = (text: string) => `orgs:\n  - id: acme\n${text}`;

/** Documents of a size; those that are refused must be as cheap as those that are not. */
const DOCUMENTS: Readonly<Record<string, (n: number) => string>> = {
  'unknown keys': (n) => org(lines(n, (k) => `    unknown${k}: 1`)),
  'unknown keys at the top': (n) => lines(n, (k) => `unknown${k}: 1`),
  'valid keys': (n) => org(`    keys:\n${lines(n, (k) => `      - { name: k${k}, key: ${KEY(k)} }`)}`),
  'valid keys as JSON': (n) =>
    JSON.stringify(
      { orgs: [{ id: 'acme', keys: Array.from({ length: n }, (_, k) => ({ name: `k${k}`, key: KEY(k) })) }] },
      null,
      1,
    ),
  'aliases of one anchor': (n) =>
    org(`    limits:\n      - &one { scope: org, rpm: 5 }\n${lines(n, () => '      - *one')}`),
  'keys of one map, all aliases': (n) =>
    org(`    cache: &one { enabled: true }\n${lines(n, (k) => `    u${k}: *one`)}`),
  'anchors, each used once': (n) =>
    org(`    limits:\n${lines(n, (k) => `      - &a${k} { scope: org, rpm: ${k + 1} }\n      - *a${k}`)}`),
  'aliases of nothing': (n) => org(`    limits:\n${lines(n, (k) => `      - *nothing${k}`)}`),
  'keys twice': (n) => org(lines(n, (k) => `    twice${k}: 1\n    twice${k}: 2`)),
  'names twice': (n) => org(`    teams:\n${lines(n, (k) => `      - { id: t${k % 7} }`)}`),
  'names of nothing': (n) =>
    org(
      `    teams:\n${lines(n, (k) => `      - { id: team-${k} }`)}\n    keys:\n${lines(n, (k) => `      - { name: k${k}, key: ${KEY(k)}, team: taem-${k} }`)}`,
    ),
  'values of the wrong type': (n) => org(`    teams:\n${lines(n, (k) => `      - ${k}`)}`),
  'routes to providers': (n) =>
    org(
      `    providers:\n${lines(n, (k) => `      - { id: p${k}, kind: sandbox }`)}\n    routes:\n${lines(n, (k) => `      - { model: m${k}, targets: [p${n - 1 - k}/x] }`)}`,
    ),
  'monitors on boards': (n) =>
    org(
      `    monitors:\n${lines(n, (k) => `      - { id: m${k}, expected_interval_minutes: 5 }`)}\n    boards:\n      - { slug: all, groups: [{ name: g, monitors: [${Array.from({ length: n }, (_, k) => `m${n - 1 - k}`).join()}] }] }`,
    ),
  'groups of issuers': (n) =>
    `${org(`    teams:\n${lines(n, (k) => `      - { id: t${k} }`)}`)}\nauth:\n  oidc:\n    - name: i\n      issuer: https://i.example\n      client_id: c\n      map:\n${lines(n, (k) => `        - { group: g${k}, role: viewer, team: t${n - 1 - k} }`)}`,
  'variables that nobody gave': (n) =>
    org(`    keys:\n${lines(n, (k) => `      - { name: "\${V${k}}", key: "\${K${k}}" }`)}`),
  'broken lines': (n) => lines(n, (k) => `a${k}: [ : }`),
};

const attempt = (yaml: string) => {
  try {
    parseConfigDocument({
      given: { yaml, config: undefined, variables: {} },
      orgId: 'acme',
      origin: 'submitted',
    });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    assert.ok(error.message.length < 100_000, 'a refusal does not repeat the document');
  }
};

for (const [what, of] of Object.entries(DOCUMENTS))
  test(`twice the document takes at most twice the steps: ${what}`, async () => {
    attempt(of(10));
    const small = await countSteps(() => attempt(of(500)));
    const middle = await countSteps(() => attempt(of(1_000)));
    const large = await countSteps(() => attempt(of(2_000)));
    assert.ok(small > 500, `${small} steps were counted`);
    assert.ok(middle <= 2.4 * small && large <= 2.4 * middle, [small, middle, large].join(', '));
  });

test('a document with the maximum nesting is rejected without recursion', () => {
  for (const text of [
    '['.repeat(400_000),
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    lines(900, (n) => `${' '.repeat(n)}a:`),
  ])
    attempt(text);
});

test('variables cannot enlarge a document beyond a limit', () => {
  const yaml = org(`    keys:\n${lines(4_000, (k) => `      - { name: "k${k}\${BIG}", key: ${KEY(k)} }`)}`);
  assert.throws(
    () =>
      parseConfigDocument({
        given: { yaml, config: undefined, variables: { BIG: 'x'.repeat(50_000) } },
        orgId: 'acme',
        origin: 'submitted',
      }),
    /can have at most 16 million characters in total after the variables/,
  );
});
