import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { relayReplayResult } from '@floe/contract/api/relay-management';
import { FloeConfigSchema } from '@floe/contract/config';
import type { MemberRole } from '@floe/contract/roles';
import type { KeyScope } from '@floe/contract/scopes';
import { eventually } from '@floe/testkit/eventually';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { defineReplayDecisionsOperation } from '../management/relay/replay-decisions.ts';
import { createMemberActor } from '../platform/actor.ts';
import { BackgroundJobRunner } from '../platform/background-job-runner.ts';
import { MAX_WAITING_APPROVALS_PER_KEY } from '../relay/relay-approvals.ts';
import { findRelayApproval, insertRelayApproval } from '../store/relay/relay-approvals.ts';
import { createSharedTestDatabase } from '../store/test/postgres-database.ts';
import {
  API_TEST_NOW,
  listResponseEntries,
  type ResponseJson,
  type RunningApi,
  runApi,
} from './test/running-api.ts';
import { apiTestSecretsKey } from './test/test-api-parts.ts';

const RELAY = {
  mode: 'enforce',
  approvals: { enabled: true, expires_minutes: 10 },
  rules: [
    { name: 'no-force-push', on: 'shell', match: { command: 'git', any_flag: '-f' }, decision: 'deny' },
    { name: 'prod-db', on: 'shell', match: { command: 'psql' }, decision: 'ask' },
  ],
};
const OWNER = createMemberActor('acme', {
  id: 'mem_owner',
  userId: 'usr_owner',
  email: 'mara@acme.example',
  role: 'owner',
  team: null,
  sessionId: 'ses_owner',
  issuer: null,
  isOperator: false,
  steppedUpUntil: 0,
});
const [org] = FloeConfigSchema.parse({ orgs: [{ id: 'acme', relay: RELAY }] }).orgs;
assert.ok(org);

const PROGRAMS = ['terraform', 'git', 'kubectl', 'docker', 'npm', 'aws', 'gh'] as const;
/** A reviewed command, and commands that its approval must not allow. */
const SIMILAR_COMMANDS: readonly (readonly [reviewed: string, others: readonly string[]])[] = [
  [
    'terraform fmt',
    [
      'terraform destroy',
      'terraform fmt; terraform destroy',
      'terraform -chdir=prod fmt',
      'sudo terraform fmt',
    ],
  ],
  [
    'git push origin main',
    ['git push origin main --no-verify', 'git push origin :main', 'git push other main'],
  ],
  ['kubectl get pods', ['kubectl delete pods', 'kubectl get pods -n prod', 'kubectl get secrets']],
  ['docker ps', ['docker rm -f web', 'docker ps | sh']],
  ['npm test', ['npm publish', 'npm run test', 'NODE_OPTIONS=--require=./x.js npm test']],
  ['aws s3 ls s3://logs', ['aws s3 rm s3://logs', 'aws s3 ls s3://logs --profile prod']],
  ['gh pr view 12', ['gh pr merge 12', 'gh pr view 13', 'gh pr view 12 > ~/.bashrc']],
];

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`on ${engine}`, () => {
    let api: RunningApi;
    let agent: string;
    let admin: string;
    let own: Awaited<ReturnType<typeof createSharedTestDatabase>> | null = null;
    before(async () => {
      own = engine === 'postgres' ? await createSharedTestDatabase() : null;
      api = await runApi({ org, ...(own && { url: own.url }) });
      agent = (await api.addKey('acme', { scopes: ['relay'], name: 'laptops', owner: 'ana@acme.example' }))
        .key;
      admin = (await api.addKey('acme', { scopes: ['management'] })).key;
    });
    after(async () => {
      await api.close();
      await own?.drop();
    });

    async function decided(command: string, session_id: string, more: object = {}) {
      const body = { event: 'shell', session_id, shell: { command }, agent: { name: 'codex' }, ...more };
      const { status, body: answer } = await api.call('POST', '/relay/v1/decisions', { key: agent, body });
      assert.equal(status, 200, JSON.stringify(answer));
      return answer;
    }

    async function kept(): Promise<void> {
      await new Promise((resolve) => setImmediate(resolve));
      await api.relay.rows.flush(5_000);
    }

    const endOfJob = (id: unknown) =>
      eventually(async () => {
        const { body } = await api.call('GET', `/api/jobs/${String(id)}`, { key: admin });
        return String(body['state']) === 'running' ? undefined : body;
      });

    /** On a busy machine, a replay takes longer than a request. It then continues as a job. */
    async function completeReplay(body: ResponseJson): Promise<ResponseJson> {
      const job: unknown = body['job'];
      if (job === null) return body;
      const { result } = await endOfJob((job as ResponseJson)['id']);
      return result as ResponseJson;
    }

    const asked = (method: string, path: string, body?: unknown, headers = {}) => {
      const call = { key: admin, headers, ...(body !== undefined && { body }) };
      return api.call(method, `/api/management/relay${path}`, call);
    };

    test('an ask waits for a person; after approval, the same event is allowed once and nothing else', async () => {
      const first = await decided('psql prod', 'a1');
      assert.equal(first.decision, 'ask');
      const id = String(first.approval?.id);
      assert.match(
        String(first.agent_message),
        new RegExp(`https://floe.example/o/acme/relay/approvals/${id}`),
      );
      assert.equal(
        (await decided('psql prod', 'a1')).approval?.id,
        id,
        'asked again, it is the same question',
      );
      const waiting = await asked('GET', '/approvals?state=waiting');
      assert.deepEqual(
        listResponseEntries(waiting.body.data).map(({ input_summary }) => input_summary),
        ['psql prod'],
      );

      const waits = api.call('GET', `/relay/v1/approvals/${id}?wait_seconds=20`, { key: agent });
      const answer = await asked('POST', `/approvals/${id}`, { decision: 'allow', note: 'Only today.' });
      assert.equal(answer.body.state, 'allowed');
      assert.deepEqual([(await waits).body.state, (await waits).body.note], ['allowed', 'Only today.']);

      assert.equal((await decided('psql staging', 'a1')).decision, 'ask', 'another command');
      assert.equal((await decided('psql prod', 'a2')).decision, 'ask', 'another session');
      assert.equal((await decided('psql prod', 'a1')).decision, 'abstain');
      assert.equal((await decided('psql prod', 'a1')).decision, 'ask', 'it was for once');
    });

    test('a one-time approval does not allow a repetition with the same id', async () => {
      const named = { id: 'call_0' };
      const { approval } = await decided('psql named', 'a4', named);
      await asked('POST', `/approvals/${String(approval?.id)}`, { decision: 'allow' });
      assert.equal((await decided('psql named', 'a4', named)).decision, 'abstain');
      assert.equal((await decided('psql named', 'a4', named)).decision, 'ask');
    });

    test('simultaneous asks for the same event are one approval, whose decision applies to all of them', async () => {
      const tries = ['t1', 't2', 't3', 't4'];
      const ids = await Promise.all(
        tries.map(async (tool_use_id) =>
          String((await decided('psql at once', 'a2', { tool_use_id })).approval?.id),
        ),
      );
      const [id] = ids;
      assert.deepEqual(ids, Array(tries.length).fill(id));
      const waiting = listResponseEntries((await asked('GET', '/approvals?state=waiting')).body.data);
      assert.equal(
        waiting.filter(({ input_summary }) => String(input_summary).includes('at once')).length,
        1,
      );
      const other = String((await decided('psql at once', 'a3')).approval?.id);
      assert.notEqual(other, id, 'another session asks for itself');
      await asked('POST', `/approvals/${id}`, { decision: 'deny' });
      const answers = await Promise.all(
        ids.map((one) => api.call('GET', `/relay/v1/approvals/${one}?wait_seconds=1`, { key: agent })),
      );
      assert.deepEqual(
        answers.map(({ body }) => body.state),
        tries.map(() => 'denied'),
      );
    });

    test('text that a database cannot store does not stop the log or the counts', async () => {
      const strange = { tool_use_id: '\0', agent: { name: 'co\0dex', version: '\ud800' }, cwd: '/\0' };
      const first = await decided('psql \0 \ud800', 'strange\0', strange);
      assert.equal(first.decision, 'ask');
      const again = await decided('psql \0 \ud800', 'strange\0', strange);
      assert.equal(again.approval?.id, first.approval?.id);
      await decided('ls', 'plain');
      await kept();
      const found = async (path: string, session: string) =>
        listResponseEntries((await asked('GET', `/${path}?limit=100`)).body.data).filter(
          ({ session_id }) => String(session_id) === session,
        ).length;
      assert.deepEqual(
        [await found('decisions', 'plain'), await found('decisions', 'strange\ufffd')],
        [1, 2],
      );
      await api.relay.sessions.flush();
      assert.deepEqual([await found('sessions', 'plain'), await found('sessions', 'strange\ufffd')], [1, 1]);
    });

    test('a key with the scope relay reads only the approvals and reports of its own events', async () => {
      const approval = `/relay/v1/approvals/${(await decided('psql mine', 'own')).approval?.id}`;
      const events = [{ type: 'session_start', session_id: 'own' }];
      await api.call('POST', '/relay/v1/events', { key: agent, body: { events } });
      await kept();
      const keyWith = async (...scopes: KeyScope[]) => (await api.addKey('acme', { scopes })).key;
      const roleKey = async (role: MemberRole) => (await api.addMember('acme', { role })).key;
      const readers: readonly (readonly [who: string, key: string, reads: boolean])[] = [
        ['the key that asked', agent, true],
        ['another key with relay', await keyWith('relay'), false],
        ['a key with relay and gateway', await keyWith('relay', 'gateway'), false],
        ['a key with management', await keyWith('management'), true],
        ['a key with relay and management', await keyWith('relay', 'management'), true],
        ['a key with read', await keyWith('read'), true],
        ['an owner', await roleKey('owner'), true],
        ['an admin', await roleKey('admin'), true],
        ['a viewer', await roleKey('viewer'), true],
        ['a key of another org', (await api.addKey('other')).key, false],
      ];
      for (const [who, key, reads] of readers) {
        const one = await api.call('GET', `${approval}?wait_seconds=0`, { key });
        assert.equal(`${one.status} ${one.body.error?.code}`, reads ? '200 undefined' : '404 not_found', who);
        const { body } = await api.call('GET', '/relay/v1/events?session=own', { key });
        assert.equal(listResponseEntries(body.data).length, reads ? 1 : 0, who);
      }
      const unknown = await api.call('GET', '/relay/v1/approvals/apr_unknown', {
        key: readers[1]?.[1] ?? '',
      });
      const foreign = await api.call('GET', approval, { key: readers[1]?.[1] ?? '' });
      assert.equal(foreign.body.error?.message, unknown.body.error?.message);
      for (const key of [await keyWith('gateway'), await keyWith('monitoring', 'beat')])
        assert.equal((await api.call('GET', approval, { key })).status, 403);
    });

    test('an approval for the session allows the same action any number of times, and no other action', async () => {
      const rule = { name: 'infra', on: 'shell', match: { command: [...PROGRAMS] }, decision: 'ask' };
      const made = await asked('POST', '/rules', rule);
      assert.equal(made.status, 201);
      for (const [reviewed, others] of SIMILAR_COMMANDS) {
        const session = `b ${reviewed}`;
        const { approval } = await decided(reviewed, session);
        const answer = { decision: 'allow', scope: 'session' };
        assert.equal((await asked('POST', `/approvals/${approval?.id}`, answer)).status, 200);
        for (const tool_use_id of ['one', 'two'])
          assert.equal((await decided(reviewed, session, { tool_use_id })).decision, 'abstain', reviewed);
        for (const other of others) assert.equal((await decided(other, session)).decision, 'ask', other);
        assert.equal((await decided(reviewed, 'another session')).decision, 'ask');
        assert.equal((await decided(reviewed, session, { cwd: '/prod' })).decision, 'ask', 'elsewhere');
      }
      assert.equal((await asked('DELETE', `/rules/${String(made.body.id)}`)).status, 204);
    });

    test('an approval for the session applies to the same action after a change of version, mode or user', async () => {
      const reviewed = {
        cwd: '/srv/app',
        home_dir: '/home/ana',
        user: 'ana',
        agent: { name: 'codex', version: '1', permission_mode: 'default' },
        repository: { remote: 'https://github.com/acme/app.git', branch: 'main' },
      };
      const { approval } = await decided('psql same', 'same', reviewed);
      await asked('POST', `/approvals/${approval?.id}`, { decision: 'allow', scope: 'session' });
      const agentNow = (change: object) => ({ ...reviewed, agent: { ...reviewed.agent, ...change } });
      const repositoryNow = (change: object) => ({
        ...reviewed,
        repository: { ...reviewed.repository, ...change },
      });
      for (const same of [
        { ...reviewed, user: 'root' },
        agentNow({ version: '2' }),
        agentNow({ permission_mode: 'plan' }),
        repositoryNow({ remote: 'git@github.com:acme/app.git' }),
      ])
        assert.equal((await decided('psql same', 'same', same)).decision, 'abstain', JSON.stringify(same));
      for (const other of [
        { ...reviewed, cwd: '/prod' },
        { ...reviewed, home_dir: '/root' },
        { ...reviewed, shell: { command: 'psql same', dialect: 'powershell' } },
        { ...reviewed, repository: undefined },
        agentNow({ name: 'cursor' }),
        repositoryNow({ branch: 'x' }),
        repositoryNow({ remote: 'https://github.com/acme/prod.git' }),
      ])
        assert.equal((await decided('psql same', 'same', other)).decision, 'ask', JSON.stringify(other));
    });

    test('an approval for the session never overrides a rule that denies', async () => {
      const first = await decided('psql two; git push -f', 'b1');
      assert.equal(`${first.decision} ${first.approval}`, 'deny null');
      const { approval } = await decided('psql two', 'b1');
      await asked('POST', `/approvals/${approval?.id}`, { decision: 'allow', scope: 'session' });
      assert.equal((await decided('psql two', 'b1')).decision, 'abstain');
      assert.equal((await decided('psql two; git push -f', 'b1')).decision, 'deny');
    });

    test('an approval for one use also covers the permission request that follows, and no other', async () => {
      const action = { cwd: '/srv' };
      const request = { ...action, permission_request: true };
      const approve = async (command: string, more: object) => {
        const { approval } = await decided(command, 'p1', more);
        assert.equal((await asked('POST', `/approvals/${approval?.id}`, { decision: 'allow' })).status, 200);
      };
      await approve('psql asks', action);
      assert.equal((await decided('psql asks', 'p1', action)).decision, 'abstain');
      assert.equal((await decided('psql asks', 'p1', request)).decision, 'abstain');
      assert.equal((await decided('psql asks', 'p1', request)).decision, 'ask', 'a second request');
      assert.equal((await decided('psql asks', 'p1', action)).decision, 'ask', 'a second action');
      await approve('psql only', request);
      assert.equal((await decided('psql only', 'p1', request)).decision, 'abstain');
      for (const again of [request, action])
        assert.equal((await decided('psql only', 'p1', again)).decision, 'ask');
      await approve('psql late', action);
      assert.equal((await decided('psql late', 'p1', action)).decision, 'abstain');
      api.setNow(API_TEST_NOW + 61_000);
      assert.equal((await decided('psql late', 'p1', request)).decision, 'ask', 'a request a minute later');
      api.setNow(API_TEST_NOW);
      const { approval } = await decided('psql edge', 'p1', action);
      const answer = { decision: 'allow' };
      const { body } = await asked('POST', `/approvals/${approval?.id}`, answer);
      const expiresAt = Date.parse(String(body['expires_at']));
      api.setNow(expiresAt - 1_000);
      assert.equal((await decided('psql edge', 'p1', action)).decision, 'abstain');
      api.setNow(expiresAt + 1_000);
      assert.equal((await decided('psql edge', 'p1', action)).decision, 'ask', 'a second action');
      assert.equal(
        (await decided('psql edge', 'p1', request)).decision,
        'abstain',
        'a request after the expiry',
      );
      api.setNow(API_TEST_NOW);
    });

    test('an approval is decided once, in time', async () => {
      const id = String((await decided('psql late', 'c1')).approval?.id);
      await asked('POST', `/approvals/${id}`, { decision: 'deny', note: 'No.' });
      const again = await asked('POST', `/approvals/${id}`, { decision: 'allow' });
      assert.equal(`${again.status} ${again.body.error?.code}`, '409 conflict');
      const other = String((await decided('psql later', 'c1')).approval?.id);
      api.setNow(API_TEST_NOW + 11 * 60_000);
      const late = await asked('POST', `/approvals/${other}`, { decision: 'allow' });
      assert.equal(late.status, 409);
      const expired = listResponseEntries(
        (await asked('GET', '/approvals?state=expired&limit=200')).body.data,
      ).map(({ input_summary }) => input_summary);
      assert.ok(JSON.stringify(expired).includes('psql later'));
      api.setNow(API_TEST_NOW);
    });

    test('decisions are found by every filter, and by their text', async () => {
      await decided('git push -f origin 100%', 'd1');
      await decided('ls -la', 'd1');
      await kept();
      for (const [query, what] of [
        ['session=d1&decision=deny', ['git push -f origin 100%']],
        ['session=d1&rule=no-force-push', ['git push -f origin 100%']],
        ['session=d1&agent=codex&limit=1&decision=abstain', ['ls -la']],
        ['q=ORIGIN%20100%25', ['git push -f origin 100%']],
        ['session=d1&event=prompt', []],
        ['key=laptops&owner=ana@acme.example&session=d1&q=ls', ['ls -la']],
      ] as const) {
        const { body } = await asked('GET', `/decisions?${query}`);
        assert.deepEqual(
          listResponseEntries(body.data).map((row) => row.input_summary),
          what,
          query,
        );
      }
      const [row] = listResponseEntries(
        (await asked('GET', '/decisions?session=d1&decision=deny')).body.data,
      );
      assert.equal((await asked('GET', `/decisions/${row?.id}`)).body.rule, 'no-force-push');
    });

    test('pages of decisions contain each row once', async () => {
      for (let n = 0; n < 5; n += 1) await decided(`echo ${n}`, 'page');
      await kept();
      const seen: string[] = [];
      let cursor = '';
      for (let pages = 0; pages < 6; pages += 1) {
        const { body } = await asked('GET', `/decisions?session=page&limit=2${cursor}`);
        seen.push(...listResponseEntries(body.data).map(({ input_summary }) => String(input_summary)));
        if (body.next_cursor === null) break;
        cursor = `&cursor=${body.next_cursor}`;
      }
      assert.deepEqual(seen.sort(), ['echo 0', 'echo 1', 'echo 2', 'echo 3', 'echo 4']);
    });

    test('coverage shows sessions that call models and never the relay, with any keys', async () => {
      const { sessions } = api.relay;
      const use = { orgId: 'acme', keyId: 'key_m', keyName: 'models', owner: 'ana@acme.example' };
      sessions.recordModelUse({ ...use, sessionId: 'covered' }, 'codex');
      sessions.recordModelUse({ ...use, sessionId: 'stealthy', owner: 'bob@acme.example' }, 'codex');
      sessions.recordModelUse({ ...use, sessionId: '' }, null);
      await decided('ls', 'covered');
      await sessions.flush();
      const { body } = await asked('GET', `/coverage?to=${new Date(API_TEST_NOW + 1000).toISOString()}`);
      const people = listResponseEntries(body.data).map((row) => [
        row.owner,
        row.agent,
        row.sessions,
        row.covered_ratio,
      ]);
      assert.deepEqual(people[0], ['bob@acme.example', 'codex', 1, 0]);
      assert.ok(JSON.stringify(people).includes(JSON.stringify(['ana@acme.example', 'codex', 1, 1])));
      const uncovered = await asked('GET', '/sessions?covered=false');
      assert.deepEqual(
        listResponseEntries(uncovered.body.data).map(({ session_id }) => session_id),
        ['stealthy'],
      );
    });

    test('a rule that the API creates decides immediately, and a rule in the file is read-only', async () => {
      const rule = { name: 'no-curl', on: 'shell', match: { command: 'curl' }, decision: 'deny' };
      assert.equal((await decided('curl x', 'r1')).decision, 'abstain');
      const made = await asked('POST', '/rules', rule);
      assert.equal(made.status, 201);
      assert.equal((await decided('curl x', 'r1')).decision, 'deny');
      const id = String(made.body.id);
      const softer = await asked('PATCH', `/rules/${id}`, { mode: 'observe' });
      assert.equal(softer.body.rule?.mode, 'observe');
      assert.equal((await decided('curl x', 'r1')).decision, 'abstain');
      const put = await asked('PUT', `/rules/${id}`, (await asked('GET', `/rules/${id}`)).body);
      assert.equal(put.status, 200, 'what GET gave is taken back');
      assert.equal((await asked('DELETE', `/rules/${id}`)).status, 204);
      const file = await asked('PATCH', '/rules/no-force-push', { decision: 'ask' });
      assert.equal(`${file.status} ${file.body.error?.code}`, '409 managed_by_file');
      assert.match(String(file.body.error?.message), /line 10/);
      const names = listResponseEntries((await asked('GET', '/rules')).body.data).map(
        (row) => row.rule?.name,
      );
      assert.deepEqual(names, ['no-force-push', 'prod-db']);
      const found = listResponseEntries((await asked('GET', '/rules?sort=name&search=PROD')).body.data);
      assert.deepEqual(
        found.map(({ id }) => id),
        ['prod-db'],
      );
    });

    test('requests with one Idempotency-Key create one rule, and a different request with it is a conflict', async () => {
      const rule = { name: 'once', on: 'shell', match: { command: 'curl' }, decision: 'deny' };
      const headers = { 'idempotency-key': 'once' };
      const first = await asked('POST', '/rules', rule, headers);
      assert.equal(first.status, 201);
      assert.deepEqual((await asked('POST', '/rules', rule, headers)).body, first.body);
      const other = await asked('POST', '/rules', { ...rule, decision: 'ask' }, headers);
      assert.equal(`${other.status} ${other.body.error?.code}`, '409 conflict');
      assert.equal((await asked('DELETE', `/rules/${String(first.body.id)}`)).status, 204);
    });

    test('an invalid rule is rejected with the field', async () => {
      const rule = { name: 'bad', on: 'shell', match: { command: 'x' }, decision: 'deny' };
      for (const [body, param] of [
        [{ ...rule, match: { tool: 'x' } }, 'match.tool'],
        [{ ...rule, matches: null }, 'matches'],
        [{ rule, decisionn: 'deny' }, 'decisionn'],
        [{ rule: { ...rule, matchh: {} } }, 'rule.matchh'],
        [{ rule, decision: 'deny' }, 'decision'],
        [{ ...rule, when: 'command.colour == 1' }, 'when'],
        [{ ...rule, when: 'command.name ==' }, 'when'],
        [{ ...rule, on: 'prompt', match: { text: '(' } }, 'match.text[0]'],
        [{ ...rule, decision: 'perhaps' }, 'decision'],
        [{ name: 'bad', on: 'shell', decision: 'deny' }, undefined],
      ] as const) {
        const { status, body: answer } = await asked('POST', '/rules', body);
        assert.equal(status, 400, JSON.stringify(body));
        if (param !== undefined) assert.equal(answer.error?.param, param);
      }
    });

    test('a simulation shows how a command is parsed and what each draft decides, and stores nothing', async () => {
      const rules = [
        {
          name: 'draft',
          on: 'shell',
          match: { command: 'git', subcommand: 'push', any_flag: '--force' },
          decision: 'deny',
        },
      ];
      const event = { event: 'shell', shell: { command: 'sudo env X=1 git push --force "$B"' } };
      const { body } = await asked('POST', '/simulate', { rules, event });
      assert.deepEqual([body.decision, body.rule], ['deny', 'draft']);
      assert.deepEqual(
        listResponseEntries(body.commands).map(({ name, via }) =>
          [...listResponseEntries(via), name].join(' > '),
        ),
        ['sudo', 'sudo > env', 'sudo > env > git'],
      );
      const git = listResponseEntries(body.commands).at(-1);
      assert.deepEqual(git?.args, ['push', '--force', null]);
      const unclear = await asked('POST', '/simulate', {
        rules,
        event: { event: 'shell', shell: { command: 'eval "$X"' } },
      });
      assert.deepEqual([unclear.body.decision, unclear.body.rule], ['ask', 'unclear-command']);
      assert.equal(listResponseEntries(unclear.body.unclear).length, 1);
      const wrong = await asked('POST', '/simulate', { rules: [{ ...rules[0], when: 'nothing' }], event });
      assert.equal(wrong.body.error?.param, 'rules[0].when');
    });

    test('a replay evaluates a draft on the decisions of the last days and lists the differences', async () => {
      for (const command of ['make deploy', 'make test', 'git push -f']) await decided(command, 'replayed');
      await kept();
      const rules = [
        {
          name: 'no-deploy',
          on: 'shell',
          match: { command: 'make', subcommand: 'deploy' },
          decision: 'deny',
        },
      ];
      const answer = await asked('POST', '/replay', { rules, days: 1 });
      assert.equal(answer.status, 200);
      const body = await completeReplay(answer.body);
      assert.equal(body.newly_denied, 1);
      const changes = new Map(
        listResponseEntries(body.changes).map(({ input_summary, before, after }) => [
          String(input_summary),
          [before, after],
        ]),
      );
      assert.deepEqual(changes.get('git push -f'), ['deny', 'abstain']);
      assert.deepEqual(changes.get('make deploy'), ['abstain', 'deny']);
      assert.equal(changes.has('make test'), false);
      assert.equal(body.job, null);
    });

    test('a replay that takes longer than a request continues as a job with the complete result', async () => {
      await decided('make later', 'job');
      await kept();
      const { database } = api;
      const jobs = new BackgroundJobRunner({ database, clock: systemClock, log: silentLog });
      const whole = (await asked('POST', '/replay', { days: 1 })).body;
      const operation = defineReplayDecisionsOperation(api.relay.host, jobs, api.evaluationPool, -1);
      const host = {
        database,
        clock: { ...systemClock, now: () => API_TEST_NOW },
        refreshSnapshot: async () => undefined,
        secretsKey: apiTestSecretsKey,
      };
      const input = { params: {}, query: {}, body: { days: 1 }, idempotencyKey: undefined };
      const answer = await operation.readAnswer?.(database.read, host, OWNER, input);
      const { job, evaluated } = relayReplayResult.parse(answer);
      assert.deepEqual([evaluated, job?.kind, job?.state], [0, 'relay.replay', 'running']);
      const ended = await endOfJob(job?.id);
      assert.deepEqual([ended['state'], ended['done'], ended['result']], ['done', whole['evaluated'], whole]);
      await jobs.close();
    });

    test('a key has a limited number of waiting approvals, and further actions are denied', async () => {
      const { key } = await api.addKey('acme', { scopes: ['relay'] });
      const ask = async (command: string) => {
        const body = { event: 'shell', session_id: 'many', shell: { command } };
        return (await api.call('POST', '/relay/v1/decisions', { key, body })).body;
      };
      for (let at = 0; at < MAX_WAITING_APPROVALS_PER_KEY; at += 1) await ask(`psql ${at}`);
      const refused = await ask('psql more');
      assert.equal(`${refused.decision} ${refused.enforced_decision} ${refused.approval}`, 'deny deny null');
      assert.match(String(refused.user_message), /200 approvals of this key are waiting/);
      assert.equal((await ask('psql 0')).decision, 'ask', 'an action that waits already');
      assert.equal((await decided('psql mine', 'other')).decision, 'ask', 'another key');
    });

    test('the limit of waiting approvals does not read those of the whole day, which have expired', async () => {
      const { id: key_id, key } = await api.addKey('acme', { scopes: ['relay'] });
      const ask = async (command: string) => {
        const body = { event: 'shell', session_id: 'day', shell: { command } };
        return (await api.call('POST', '/relay/v1/decisions', { key, body })).body;
      };
      const { approval } = await ask('psql first');
      const { read } = api.database;
      const first = await findRelayApproval(read, { orgId: 'acme', id: String(approval?.id) });
      assert.ok(first);
      const created_at = first.created_at - RELAY.approvals.expires_minutes * 60_000;
      await api.database.transaction(async (writer) => {
        for (let at = 0; at < MAX_WAITING_APPROVALS_PER_KEY; at += 1)
          await insertRelayApproval(writer, { ...first, id: `apr_day${at}`, key_id, created_at });
      });
      assert.equal((await ask('psql second')).decision, 'ask');
    });
  });
