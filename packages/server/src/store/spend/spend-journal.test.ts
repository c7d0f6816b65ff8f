import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { sql } from 'kysely';
import { type Clock, systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { openDatabase } from '../open-database.ts';
import type { Database, DatabaseWriter } from '../store-interfaces.ts';
import { ManualClock } from '../test/manual-clock.ts';
import { createTemporaryDirectory } from '../test/temporary-directory.ts';
import type { BudgetCharge } from './budget-charge.ts';
import { listBudgetSpendChangedSince } from './budget-spend.ts';
import { openSpendJournal, type SpendJournal } from './spend-journal.ts';

function charge(nanoUsd: number, bucket = 'b:month'): BudgetCharge {
  const budget = { name: 'all', period: 'month', day: '', mode: 'hard' } as const;
  return { orgId: 'acme', bucket, endsAt: 0, nanoUsd, limitNanoUsd: 1000, ...budget };
}

/**
 * Journals that a test leaves open as a kill does. Reachable until the end: an open file that is collected is an error.
 */
const abandoned: SpendJournal[] = [];

interface JournalHarness {
  readonly dataDir: string;
  readonly database: Database;
  /** What the next commits do: nothing special, or succeed without their caller hearing of it. */
  readonly faults: { unheard: number };
  readonly orphans: string[];
  /** Transactions so far. */
  readonly commits: { count: number };
  /** Awaited by every transaction before it begins. */
  readonly slow: { until: Promise<void> };
  /** A transaction fails if it charges a bucket with this name. */
  readonly rejected: { bucket: string };
  /** Thrown in every transaction that charges a bucket. */
  readonly failing: { error: Error | null };
  open(clock?: Clock): Promise<SpendJournal>;
  spent(): Promise<number>;
}

async function createJournalHarness(t: TestContext): Promise<JournalHarness> {
  const dataDir = createTemporaryDirectory(t);
  const database = await openDatabase('sqlite:', { dataDir, log: silentLog, clock: systemClock });
  t.after(() => database.close());
  const faults = { unheard: 0 };
  const orphans: string[] = [];
  const commits = { count: 0 };
  const slow = { until: Promise.resolve() };
  const rejected = { bucket: '' };
  const failing: JournalHarness['failing'] = { error: null };
  const shaky: Pick<Database, 'read' | 'transaction'> = {
    read: database.read,
    async transaction(work) {
      await slow.until;
      const done = await database.transaction(work);
      commits.count += 1;
      if (faults.unheard === 0) return done;
      faults.unheard -= 1;
      throw new Error('the connection broke after the commit');
    },
  };
  return {
    dataDir,
    database,
    faults,
    orphans,
    commits,
    slow,
    rejected,
    failing,
    open: (clock = systemClock) =>
      openSpendJournal({
        dataDir,
        database: shaky,
        clock,
        log: silentLog,
        onSpent: async (writer, spent) => {
          if (failing.error !== null && spent.length > 0) throw failing.error;
          if (spent.some(({ bucket }) => bucket === rejected.bucket)) await violateConstraint(writer);
        },
        afterSpent: () => undefined,
        onOrphan: (id) => void orphans.push(id),
      }),
    async spent() {
      const rows = await listBudgetSpendChangedSince(database.read, 0, Date.now());
      return rows.reduce((sum, { spent_nano_usd }) => sum + spent_nano_usd, 0);
    },
  };
}

async function violateConstraint(writer: DatabaseWriter): Promise<void> {
  await sql`insert into spend_journals (id, applied, updated_at) values ('x', null, 0)`.execute(writer);
}

test('a batch whose commit was not confirmed is repeated and counted once', async (t) => {
  const { open, faults, spent } = await createJournalHarness(t);
  const journal = await open();
  await journal.reserve('a', [charge(100)]);
  journal.settle('a', [charge(30)]);
  faults.unheard = 1;
  await assert.rejects(journal.flush());
  journal.settle('b', [charge(5)]);
  await journal.flush();
  assert.equal(await spent(), 35);
  await journal.close();
});

test('the reservations of a dead process are charged in full, its settlements once, and its torn last line is ignored', async (t) => {
  const { open, spent, orphans, dataDir } = await createJournalHarness(t);
  const dead = await open();
  abandoned.push(dead);
  await dead.reserve('taken', [charge(100)]);
  dead.settle('taken', [charge(7)]);
  await dead.flush();
  await dead.reserve('open', [charge(200), charge(50, 'b:day')]);
  // Nobody closes it: this is what a kill leaves.
  const [name = ''] = readdirSync(join(dataDir, 'spend'));
  const [file = ''] = readdirSync(join(dataDir, 'spend', name));
  appendFileSync(join(dataDir, 'spend', name, file), '[3,"done","open",[["acme","b:mon');
  const next = await open();
  assert.equal(await spent(), 257);
  assert.deepEqual(orphans, ['open']);
  await next.close();
  assert.deepEqual(readdirSync(join(dataDir, 'spend')), [], 'what is counted needs no journal');
  const third = await open();
  assert.equal(await spent(), 257);
  await third.close();
});

test('an extension of a reservation is charged too, and settled with it', async (t) => {
  const { open, spent, orphans } = await createJournalHarness(t);
  const dead = await open();
  abandoned.push(dead);
  await dead.reserve('taken', [charge(100)]);
  dead.extend('taken', [charge(40)]);
  dead.settle('taken', [charge(7)]);
  dead.extend('taken', [charge(60)]);
  await dead.reserve('open', [charge(200)]);
  dead.extend('open', [charge(30)]);
  dead.extend('open', [charge(3)]);
  // On disk with the next one that is waited for; nobody closes this one.
  await dead.reserve('last', [charge(1)]);
  const next = await open();
  assert.equal(await spent(), 7 + 233 + 1);
  assert.deepEqual(orphans, ['open', 'last']);
  await next.close();
});

test('a busy server counts spending in at most ten batches a second', async (t) => {
  const { open, spent, commits } = await createJournalHarness(t);
  const clock = new ManualClock();
  const journal = await open(clock);
  commits.count = 0;
  // Spending is settled all the time, also while a batch is being counted.
  for (let ms = 0; ms < 1_000; ms += 1) {
    journal.settle(`exchange ${ms}`, [charge(1)]);
    clock.advance(1);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.ok(commits.count >= 2 && commits.count <= 10, `${commits.count} batches in a second`);
  await journal.flush();
  assert.equal(await spent(), 1_000, 'nothing is left out');
  await journal.close();
});

test('settlements during a slow batch are counted after it, without another request', async (t) => {
  const { open, spent, slow } = await createJournalHarness(t);
  const clock = new ManualClock();
  const journal = await open(clock);
  const { promise, resolve } = Promise.withResolvers<void>();
  slow.until = promise;
  journal.settle('a', [charge(1)]);
  clock.advance(100);
  await new Promise((wait) => setTimeout(wait, 20));
  // The batch of `a` takes longer than the pause between two batches.
  journal.settle('b', [charge(2)]);
  clock.advance(500);
  resolve();
  await eventually(async () => {
    clock.advance(100);
    return (await spent()) === 3 || undefined;
  });
  await journal.close();
});

test('a charge that the database rejects delays no other spending of its batch or of a recovered journal', async (t) => {
  const { open, spent, rejected, orphans } = await createJournalHarness(t);
  rejected.bucket = 'b:bad';
  const dead = await open();
  abandoned.push(dead);
  dead.settle('a', [charge(1), charge(1_000, 'b:bad'), charge(2, 'b:day')]);
  await dead.flush();
  assert.equal(await spent(), 3);
  await dead.reserve('open', [charge(10), charge(2_000, 'b:bad')]);
  const next = await open();
  assert.equal(await spent(), 13);
  assert.deepEqual(orphans, ['open']);
  next.settle('b', [charge(20)]);
  await next.flush();
  assert.equal(await spent(), 33);
  await next.close();
});

for (const table of ['spend_journals', 'budget_spend'])
  test(`a failure of ${table} that no charge causes keeps all spending for the next attempt`, async (t) => {
    const { open, spent, database } = await createJournalHarness(t);
    const journal = await open();
    const rename = (from: string, to: string) =>
      database.transaction((writer) => writer.schema.alterTable(from).renameTo(to).execute());
    await rename(table, 'renamed');
    journal.settle('a', [charge(5)]);
    await assert.rejects(journal.flush(), new RegExp(table));
    await rename('renamed', table);
    await journal.flush();
    assert.equal(await spent(), 5);
    await journal.close();
  });

test('a failure of the work in the transaction keeps all spending for the next attempt', async (t) => {
  const { open, spent, failing } = await createJournalHarness(t);
  const journal = await open();
  failing.error = new TypeError('a bug');
  journal.settle('a', [charge(5)]);
  await assert.rejects(journal.flush(), /a bug/);
  failing.error = null;
  await journal.flush();
  assert.equal(await spent(), 5);
  await journal.close();
});

test('a journal that cannot be read delays no other journal', async (t) => {
  const { open, spent, dataDir } = await createJournalHarness(t);
  for (const id of ['one', 'two']) {
    const dead = await open();
    abandoned.push(dead);
    await dead.reserve(id, [charge(100)]);
  }
  mkdirSync(join(dataDir, 'spend', '0', 'a directory instead of a file'), { recursive: true });
  const next = await open();
  assert.equal(await spent(), 200);
  await next.close();
});
