import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cron } from 'croner';
import { checkConfigFile } from '../../config/check-config.ts';
import { ConfigError } from '../../config/config-problem.ts';
import { readEnvironment } from '../../config/environment.ts';
import { loadConfig } from '../../config/load-config.ts';
import { findConfigIssues } from './find-config-issues.ts';

const RULES = `orgs:
  - id: acme
    policies:
      - { name: fine, on: request, when: "request.max_tokens > 8000", action: deny }
      - name: wrong
        on: request
        when: "request.max_token > 8000"
        action: deny
`;

function load(text: string) {
  return loadConfig({ text, env: readEnvironment({}), validateSemantics: findConfigIssues });
}

test('an invalid condition rejects the file with its line and the reason', () => {
  assert.throws(
    () => load(RULES),
    (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(
        error.message,
        /^floe\.yaml:7:\d+: orgs\[0\]\.policies\[1\]\.when: "request" has no field "max_token"; its fields are model, /,
      );
      return true;
    },
  );
  assert.equal(load(RULES.replace('max_token >', 'max_tokens >')).config.orgs[0]?.policies.length, 2);
});

test('a schedule that cannot be used rejects the file with its line and the reason', () => {
  const monitors = (cron: string) =>
    `orgs:\n  - id: acme\n    monitors:\n      - { id: fine, schedule: { cron: "0 3 29 2 *" } }\n      - id: wrong\n        schedule: { cron: "${cron}" }\n`;
  const place = 'floe.yaml:6:21: orgs[0].monitors[1].schedule.cron: ';
  assert.throws(() => load(monitors('99 3 * * *')), {
    message: `${place}is not a valid cron expression: Invalid value for minute: 99`,
  });
  assert.throws(() => load(monitors('0 0 31 2 *')), {
    message: `${place}never matches: no date has this day and month. Example: 0 3 * * *`,
  });
  assert.throws(() => load(monitors('* * * * * *')), {
    message: /schedule\.cron: matches times less than 30 seconds apart\./,
  });
  assert.equal(load(monitors('@daily')).config.orgs[0]?.monitors.length, 2);
});

test('a schedule that many monitors have is checked once', (t) => {
  const check = t.mock.method(Cron.prototype, 'nextRuns');
  const monitors = Array.from({ length: 100 }, (_, n) => `{ id: m${n}, schedule: { cron: "0 0 3 1 1 *" } }`);
  const wrong = '{ id: a, schedule: { cron: "* * * * * *" } }, { id: b, schedule: { cron: "* * * * * *" } }';
  assert.throws(() => load(`orgs: [{ id: acme, monitors: [${monitors}, ${wrong}] }]`), {
    message: /monitors\[100\]\.schedule\.cron: matches [\s\S]*monitors\[101\]\.schedule\.cron: matches /,
  });
  assert.equal(check.mock.callCount(), 2);
});

test('a policy that redacts must state what, and one that detects must state which kinds', () => {
  const rule = (more: string) => `orgs: [{ id: acme, policies: [{ name: x, on: request, ${more} }] }]`;
  assert.throws(() => load(rule('when: "true", action: redact')), /detect: is required with action: redact/);
  assert.throws(
    () => load(rule('detect: {}, action: deny')),
    /must set secrets to true, list at least one kind in pii, or both/,
  );
});

/** A pattern of which thirty exceed the compilation cost of one organization, and ten do not. */
const COSTLY = '(?i)[\u4E00-\u9FFF]{20}x';

test('the conditions of all policies of an organization together, and those of its relay rules, are limited', () => {
  const policies = (count: number) =>
    Array.from(
      { length: count },
      (_, n) => `{ name: p${n}, on: request, action: flag, when: "request.model.matches('${COSTLY}${n}')" }`,
    );
  const rules = (count: number) =>
    Array.from(
      { length: count },
      (_, n) => `{ name: r${n}, on: prompt, decision: ask, match: { text: ["${COSTLY}${n}"] } }`,
    );
  load(`orgs: [{ id: acme, policies: [${policies(10)}], relay: { rules: [${rules(10)}] } }]`);
  assert.throws(
    () => load(`orgs: [{ id: acme, policies: [${policies(30)}] }]`),
    /policies\[\d+\]\.when: the regular expressions of all policies of the organization need more than/,
  );
  assert.throws(
    () => load(`orgs: [{ id: acme, relay: { rules: [${rules(30)}] } }]`),
    /relay\.rules\[\d+\]: the regular expressions of all relay rules of the organization need more than/,
  );
});

test('without the values of some variables, config check still finds what cannot work elsewhere in the file', () => {
  const text = `server: { base_url: "\${URL}" }
orgs:
  - { id: "\${ORG}", policies: [{ name: p, on: request, when: "not (cel", action: deny }] }
  - id: acme
    keys: [{ name: ci, key: "\${CI}", scopes: ["\${SCOPE}"] }]
    providers: [{ id: openai, kind: openai, api_key: "\${KEY}" }]
    policies:
      - { name: "\${NAME}", on: request, when: "not (cel", action: deny }
      - { name: rejected, on: request, when: "not (cel", action: deny }
    monitors:
      - { id: every, expected_interval_minutes: "\${MINUTES}" }
      - { id: rejected, schedule: { cron: "0 0 31 2 *" } }
    relay:
      rules:
        - { name: "\${NAME}", on: prompt, decision: ask, match: { text: ["(unclosed"] } }
        - { name: rejected, on: prompt, decision: ask, match: { text: ["(unclosed"] } }
`;
  const check = (fileText: string) =>
    checkConfigFile({
      text: fileText,
      env: readEnvironment({}),
      allowUnset: true,
      validateSemantics: findConfigIssues,
    });
  const { ok, lines } = check(text);
  assert.equal(ok, false);
  const places = lines.filter((line) => !line.startsWith('not checked: ')).map((line) => line.split(': ')[1]);
  assert.deepEqual(places, [
    'orgs[1].policies[1].when',
    'orgs[1].monitors[1].schedule.cron',
    'orgs[1].relay.rules[1].match.text[0]',
  ]);
  assert.equal(lines.length, 11);
  assert.equal(check(text.replace(/.*rejected.*\n/g, '')).ok, true);
});
