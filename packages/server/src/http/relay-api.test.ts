import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { relayEvent } from '@floe/contract/api/relay';
import { FloeConfigSchema } from '@floe/contract/config';
import { verifyBundle } from '@floe/relay/bundle';
import { compileRelayConfig } from '@floe/relay/compile-relay-config';
import { evaluateRelayEvent } from '@floe/relay/evaluate-event';
import { loadShellParser } from '@floe/relay/shell/shell-parser';
import { createSharedTestDatabase } from '../store/test/postgres-database.ts';
import { API_TEST_NOW, type RunningApi, runApi } from './test/running-api.ts';

const RELAY = {
  mode: 'enforce',
  rules: [
    {
      name: 'no-force-push',
      on: 'shell',
      match: { command: 'git', subcommand: 'push', any_flag: ['-f', '--force'] },
      decision: 'deny',
      message: { user: 'Force pushes are blocked.', agent: 'Push to a branch and open a pull request.' },
    },
    { name: 'ask-terraform', on: 'shell', match: { command: 'terraform' }, decision: 'ask' },
    { name: 'watch-curl', on: 'shell', mode: 'observe', match: { command: 'curl' }, decision: 'deny' },
    {
      name: 'warn-npm',
      on: 'shell',
      mode: 'warn',
      match: { command: 'npm' },
      decision: 'ask',
      message: 'Use pnpm.',
    },
    {
      name: 'no-prod-db',
      on: 'tool',
      match: { server_url: 'https://db.example/*', tool: 'delete_*' },
      decision: 'deny',
    },
    {
      name: 'secrets',
      on: ['prompt', 'tool'],
      detect: { secrets: true },
      decision: 'deny',
      on_error: 'closed',
    },
  ],
};
const [org] = FloeConfigSchema.parse({ orgs: [{ id: 'acme', relay: RELAY }] }).orgs;
assert.ok(org);

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`on ${engine}`, () => {
    let api: RunningApi;
    let key: string;
    let own: Awaited<ReturnType<typeof createSharedTestDatabase>> | null = null;
    before(async () => {
      own = engine === 'postgres' ? await createSharedTestDatabase() : null;
      api = await runApi({ org, ...(own && { url: own.url }) });
      key = (await api.addKey('acme', { scopes: ['relay'], name: 'laptops', owner: 'ana@acme.example' })).key;
    });
    after(async () => {
      await api.close();
      await own?.drop();
    });

    const shell = (command: string, more: object = {}) => ({ event: 'shell', shell: { command }, ...more });

    async function decided(body: object) {
      const { status, body: answer } = await api.call('POST', '/relay/v1/decisions', { key, body });
      assert.equal(status, 200, JSON.stringify(answer));
      return answer;
    }

    test('an enforced rule denies with messages for the person and the agent', async () => {
      const answer = await decided(
        shell('sudo git push -f', { session_id: 's1', agent: { name: 'cursor' } }),
      );
      assert.equal(answer.decision, 'deny');
      assert.equal(answer.rule, 'no-force-push');
      assert.equal(answer.user_message, 'Force pushes are blocked. (rule "no-force-push")');
      assert.equal(answer.agent_message, 'Push to a branch and open a pull request. (rule "no-force-push")');
      assert.match(String(answer.decision_id), /^dec_/);
    });

    test('an event that no rule matches results in abstain, never in allow', async () => {
      const answer = await decided(shell('git status'));
      assert.equal(answer.decision, 'abstain');
      assert.equal(answer.rule, null);
    });

    test('a rule in observe mode records its decision only, and a rule that warns informs the person', async () => {
      const observed = await decided(shell('curl https://x.example'));
      assert.deepEqual(
        [observed.decision, observed.enforced_decision, observed.mode, observed.user_message],
        ['abstain', 'deny', 'observe', null],
      );
      const warned = await decided(shell('npm test'));
      assert.deepEqual(
        [warned.decision, warned.enforced_decision, warned.mode, warned.user_message],
        ['abstain', 'ask', 'warn', 'Use pnpm. (rule "warn-npm")'],
      );
    });

    test('a connector is identified by its URL, and a connector that is only named results in ask', async () => {
      const call = (tool: object) => decided({ event: 'tool', tool: { name: 'delete_row', ...tool } });
      assert.equal((await call({ url: 'https://DB.example:443/mcp/' })).decision, 'deny');
      assert.equal((await call({ url: 'https://other.example/mcp', server: 'db' })).decision, 'abstain');
      assert.equal((await call({ server: 'harmless' })).decision, 'ask');
      assert.equal((await call({})).decision, 'abstain');
    });

    test('a prompt with a secret is denied, the findings are counted, and the log stores no secret', async () => {
      const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
      const answer = await decided({ event: 'prompt', prompt: { text: `use ${token} please` } });
      assert.equal(answer.decision, 'deny');
      assert.equal(answer.on_error, 'closed');
      assert.deepEqual(answer.findings, [{ kind: 'secret', count: 1 }]);
      await new Promise((resolve) => setImmediate(resolve));
      await api.relay.rows.flush(5_000);
      const rows = await api.database.read
        .selectFrom('relay_decisions')
        .selectAll()
        .where('event', '=', 'prompt')
        .execute();
      assert.equal(rows.length, 1);
      assert.equal(rows[0]?.input_summary, 'use [redacted:secret] please');
      assert.doesNotMatch(JSON.stringify(rows), /ghp_/);
    });

    test('a repeated event has the same decision and one row, and its id with another event is another decision', async () => {
      const first = await decided(shell('git push --force', { id: 'evt-1' }));
      const again = await decided(shell('git push --force', { id: 'evt-1' }));
      assert.deepEqual(again, first);
      const other = await decided(shell('ls', { id: 'evt-1' }));
      assert.equal(other.decision, 'abstain');
      assert.notEqual(other.decision_id, first.decision_id);
      await new Promise((resolve) => setImmediate(resolve));
      await api.relay.rows.flush(5_000);
      const id = String(first.decision_id);
      const rows = await api.database.read
        .selectFrom('relay_decisions')
        .selectAll()
        .where('id', '=', id)
        .execute();
      assert.equal(rows.length, 1);
      assert.deepEqual(
        [rows[0]?.rule, rows[0]?.key_name, rows[0]?.owner, rows[0]?.input_summary],
        ['no-force-push', 'laptops', 'ana@acme.example', 'git push --force'],
      );
    });

    test('a batch is answered in its order', async () => {
      const body = { events: [shell('ls'), shell('git push -f'), shell('terraform apply')] };
      const { body: answer } = await api.call('POST', '/relay/v1/decisions/batch', { key, body });
      const decisions = Array.isArray(answer.data) ? answer.data.map(({ decision }) => decision) : [];
      assert.deepEqual(decisions, ['abstain', 'deny', 'ask']);
    });

    test('an event without a required part or with an unknown field names the field', async () => {
      for (const [body, param] of [
        [{ event: 'shell' }, 'shell'],
        [{ event: 'shell', shell: { command: 'ls' }, colour: 'red' }, 'colour'],
        [{ event: 'telepathy' }, 'event'],
      ] as const) {
        const answer = await api.call('POST', '/relay/v1/decisions', { key, body });
        assert.equal(`${answer.status} ${answer.body.error?.param}`, `400 ${param}`);
      }
    });

    test('a hook receives the response in the format of its agent', async () => {
      const hook = (agent: string, body: object) =>
        api.call('POST', `/relay/v1/hooks/${agent}`, { key, body });
      const claude = {
        hook_event_name: 'PreToolUse',
        session_id: 's2',
        tool_name: 'Bash',
        tool_use_id: 't1',
      };
      const denied = await hook('claude-code', { ...claude, tool_input: { command: 'git push -f' } });
      assert.deepEqual(denied.body, {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'Push to a branch and open a pull request. (rule "no-force-push")',
        },
        systemMessage: 'Force pushes are blocked. (rule "no-force-push")',
      });
      const nothing = await hook('claude-code', {
        ...claude,
        tool_use_id: 't2',
        tool_input: { command: 'ls' },
      });
      assert.equal(nothing.text, '{}');
      const windsurf = await hook('windsurf', {
        agent_action_name: 'pre_run_command',
        tool_info: { command_line: 'git push -f' },
      });
      assert.equal(windsurf.body.exit_code, 2);
      const cursor = await hook('cursor', {
        hook_event_name: 'beforeShellExecution',
        command: 'terraform apply',
        cwd: '',
      });
      assert.equal(cursor.body.permission, 'deny', 'Cursor cannot ask, so the fallback holds');
      const edit = { ...claude, tool_name: 'Edit', tool_use_id: 't3' };
      const files = Array.from({ length: 1_001 }, (_, at) => `src/${at}.ts`);
      const many = await hook('claude-code', { ...edit, tool_input: { files: files.slice(0, 150) } });
      assert.equal(many.text, '{}', 'more files than a batch may contain');
      const tooMany = await hook('claude-code', { ...edit, tool_input: { files } });
      assert.match(tooMany.text, /"permissionDecision":"deny".*affected files: 1001/);
      const content = 'x'.repeat(900_000);
      const tooLong = await hook('claude-code', {
        ...edit,
        tool_input: { files: files.slice(0, 10), content },
      });
      assert.match(tooLong.text, /"permissionDecision":"deny".*affected files: 10\b/);
      const nameless = await hook('claude-code', {
        tool_name: 'Bash',
        tool_input: { command: 'git push -f' },
      });
      assert.equal(`${nameless.status} ${nameless.body.error?.code}`, '400 invalid_request');
      const unknown = await hook('telepathy', {});
      assert.equal(`${unknown.status} ${unknown.body.error?.code}`, '404 not_found');
    });

    test('a hook call that cannot be evaluated is denied and not rejected, because agents continue after a rejection', async () => {
      const call = async (tool: object) => {
        const body = { hook_event_name: 'PreToolUse', session_id: 's3', tool_use_id: 't9', ...tool };
        const { status, text } = await api.call('POST', '/relay/v1/hooks/claude-code', { key, body });
        return `${status} ${/"permissionDecision":"(\w+)"/.exec(text)?.[1]}`;
      };
      const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
      const tool_name = 'mcp__notes__delete_all';
      assert.equal(await call({ tool_name, tool_input: deep(80) }), '200 ask');
      for (const levels of [101, 5_000, 100_000])
        assert.equal(await call({ tool_name, tool_input: deep(levels) }), '200 deny', String(levels));
      const embedded = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
      assert.equal(await call({ tool_name, tool_input: embedded }), '200 deny');
      for (const input of [deep(101), embedded])
        assert.equal(await call({ tool_name: 'Bash', tool_input: input }), '200 ask');
      for (const name of ['Write', 'apply_patch'])
        assert.equal(await call({ tool_name: name, tool_input: embedded }), '200 deny', name);
      const wide = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`a${at}`, 1]));
      assert.equal(await call({ tool_name, tool_input: wide }), '200 deny');
      const attachments = Array.from({ length: 501 }, (_, at) => ({ file_path: `/srv/${at}` }));
      const prompt = { hook_event_name: 'beforeSubmitPrompt', prompt: 'x', attachments };
      const cursor = await api.call('POST', '/relay/v1/hooks/cursor', { key, body: prompt });
      assert.equal(`${cursor.status} ${cursor.body['continue']}`, '200 false');
    });

    test('reports of agents are listed newest first, and repeated reports are stored once', async () => {
      const events = [
        { id: 'r1', type: 'session_start', session_id: 's9', agent: { name: 'codex', version: '0.60' } },
        {
          id: 'r2',
          type: 'tool_result',
          session_id: 's9',
          details: { exit: 0 },
          at: new Date(API_TEST_NOW - 60_000).toISOString(),
        },
      ];
      for (const _ of [1, 2]) {
        const { body } = await api.call('POST', '/relay/v1/events', { key, body: { events } });
        assert.equal(body.accepted, 2);
      }
      await api.relay.rows.flush(5_000);
      const { body } = await api.call('GET', '/relay/v1/events?session=s9', { key });
      const types = Array.isArray(body.data) ? body.data.map(({ type }) => type) : [];
      assert.deepEqual(types, ['session_start', 'tool_result']);
    });

    test('the bundle decides like the server, has an entity tag, and is rejected if it was changed or has expired', async () => {
      const first = await api.call('GET', '/relay/v1/bundle', { key });
      const again = await api.call('GET', '/relay/v1/bundle', {
        key,
        headers: { 'if-none-match': String(first.headers['etag']) },
      });
      assert.equal(again.status, 304);
      const bundle = {
        payload: String(first.body.payload),
        signature: String(first.body.signature),
        public_key: String(first.body.public_key),
      };
      const opened = verifyBundle(bundle, bundle.public_key, API_TEST_NOW);
      assert.ok(opened);
      const parts = {
        relay: compileRelayConfig(opened.relay),
        grammar: await loadShellParser(),
        identity: opened.identity,
        nowMs: API_TEST_NOW,
      };
      for (const command of ['git push -f', 'ls', 'terraform apply', 'curl x'])
        assert.equal(
          evaluateRelayEvent(relayEvent.parse(shell(command)), parts).decision,
          (await decided(shell(command))).decision,
        );
      const changed = { ...bundle, payload: bundle.payload.replace('"deny"', '"allow"') };
      assert.equal(verifyBundle(changed, bundle.public_key, API_TEST_NOW), null);
      assert.equal(verifyBundle(bundle, Buffer.alloc(32).toString('base64'), API_TEST_NOW), null);
      assert.equal(verifyBundle(bundle, bundle.public_key, API_TEST_NOW + 25 * 3_600_000), null);
    });
  });
