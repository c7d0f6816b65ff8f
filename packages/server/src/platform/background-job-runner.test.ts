import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { eventually } from '@floe/testkit/eventually';
import { FakeClock } from '@floe/testkit/fake-clock';
import { silentLog } from '../core/log.ts';
import { findBackgroundJobById, requestBackgroundJobCancellation } from '../store/background-jobs.ts';
import { openDatabase } from '../store/open-database.ts';
import { insertOrg } from '../store/orgs.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import {
  type BackgroundJobHandle,
  BackgroundJobRunner,
  resolveBackgroundJobState,
} from './background-job-runner.ts';

const ASKED = { orgId: 'acme', kind: 'test', by: 'key_one' };

async function openHarness(t: TestContext) {
  const clock = new FakeClock();
  const database = await openDatabase('sqlite:', {
    dataDir: createTemporaryDirectory(t),
    log: silentLog,
    clock,
  });
  t.after(() => database.close());
  await database.transaction((writer) => insertOrg(writer, { id: 'acme', name: 'Acme', created_at: 1 }));
  const jobs = new BackgroundJobRunner({ database, clock, log: silentLog });
  const view = async (id: string) => {
    const row = await findBackgroundJobById(database.read, 'acme', id);
    assert.ok(row);
    const result = row.result_json === null ? null : JSON.parse(row.result_json);
    return { ...row, state: resolveBackgroundJobState(row, clock.now()), result };
  };
  /** Looks until the job is in a state: its rows are written in a thread of their own. */
  const until = (id: string, isIt: (job: Awaited<ReturnType<typeof view>>) => boolean) =>
    eventually(async () => {
      const job = await view(id);
      return isIt(job) ? job : undefined;
    });
  return { clock, database, jobs, view, until };
}

/** Work that ends when the test says so, or when it is cancelled. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<{ rows: number }>();
  let handle: BackgroundJobHandle | undefined;
  return {
    resolve,
    reject,
    handle: () => handle,
    run: (given: BackgroundJobHandle) => {
      handle = given;
      given.signal.addEventListener('abort', () => reject(given.signal.reason));
      return promise;
    },
  };
}

test('a job has its progress and its result', async (t) => {
  const { clock, jobs, until } = await openHarness(t);
  const task = work();
  const { id } = await jobs.start(ASKED, task.run);
  task.handle()?.progress(3.7, 10);
  clock.advance(2_000);
  const running = await until(id, ({ done }) => done > 0);
  assert.deepEqual([running.state, running.done, running.total, running.result], ['running', 3, 10, null]);
  task.resolve({ rows: 7 });
  const over = await until(id, ({ state }) => state !== 'running');
  assert.deepEqual([over.state, over.result, over.error], ['done', { rows: 7 }, null]);
});

test('a failed job states the reason, and a defect states only where to find the details', async (t) => {
  const { jobs, until } = await openHarness(t);
  const refused = await jobs.start(ASKED, async () => {
    throw new Fault('not_found', 'No bodies are kept.');
  });
  const failed = await until(refused.id, ({ state }) => state !== 'running');
  assert.deepEqual([failed.state, failed.error], ['failed', 'No bodies are kept.']);
  const broken = await jobs.start(ASKED, async () => {
    throw new Error('secret detail');
  });
  const bug = await until(broken.id, ({ state }) => state !== 'running');
  assert.deepEqual([bug.state, bug.error?.includes('secret')], ['failed', false]);
});

test('a job that is canceled in any process stops', async (t) => {
  const { clock, database, jobs, until } = await openHarness(t);
  const here = await jobs.start(ASKED, work().run);
  jobs.cancel(here.id);
  assert.equal((await until(here.id, ({ state }) => state !== 'running')).state, 'cancelled');
  const there = await jobs.start(ASKED, work().run);
  await database.rowTransaction((writer) => requestBackgroundJobCancellation(writer, 'acme', there.id));
  clock.advance(2_000);
  assert.equal((await until(there.id, ({ state }) => state !== 'running')).state, 'cancelled');
});

test('a job whose process ended is lost, and blocks nothing', async (t) => {
  const { clock, jobs, view } = await openHarness(t);
  const { id } = await jobs.start(ASKED, () => new Promise(() => undefined));
  assert.equal((await view(id)).state, 'running');
  clock.step(31_000);
  assert.equal((await view(id)).state, 'lost');
});

test('a process that shuts down accepts no jobs, and its jobs are lost', async (t) => {
  const { jobs, view } = await openHarness(t);
  const { id } = await jobs.start(ASKED, work().run);
  await jobs.close();
  assert.deepEqual(
    [(await view(id)).state, (await view(id)).error],
    ['lost', 'The process that ran the background job ended. Start the job again.'],
  );
  await assert.rejects(
    jobs.start(ASKED, work().run),
    (error) => error instanceof Fault && error.code === 'shutting_down',
  );
});

test('the number of running jobs is limited, however they are started', async (t) => {
  const { jobs } = await openHarness(t);
  const tasks = Array.from({ length: 5 }, work);
  const started = await Promise.allSettled(tasks.map((task) => jobs.start(ASKED, task.run)));
  assert.equal(started.filter(({ status }) => status === 'fulfilled').length, 2);
  await jobs.close();
});
