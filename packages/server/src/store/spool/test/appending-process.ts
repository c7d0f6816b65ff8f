// A process that appends rows until it is killed. Arguments: data directory, journal, prefix of its ids,
// URL of the database.
//
// The journal tells what was promised: a line "<ms> <n>" says that at <ms> all rows below <n> had been
// appended. It is written by the same threads as the spool, one line at a time, so that its last line
// is the last moment at which the machine is known to have run this process and its writes.
import { openSync, write } from 'node:fs';
import { systemClock } from '../../../core/clock.ts';
import { silentLog } from '../../../core/log.ts';
import { lockDataDir } from '../../data-dir-lock.ts';
import { openDatabase } from '../../open-database.ts';
import { createTestExchangeRow } from '../../test/rows.ts';
import { openRowSink } from '../row-sink.ts';

const ROWS_PER_TURN = 15;
/** A bound for a process whose killer died: 30 s. */
const TURNS = 30_000;

const [dataDir = '', journalPath = '', prefix = '', url = 'sqlite:'] = process.argv.slice(2);
lockDataDir(dataDir);
const parts = { dataDir, log: silentLog, clock: systemClock };
const database = await openDatabase(url, parts);
const sink = await openRowSink({ ...parts, database });
const journal = openSync(journalPath, 'a');
const padding = 'x'.repeat(400);
let appended = 0;
let turns = 0;
let journaling = false;

function sign(): void {
  if (journaling) return;
  journaling = true;
  write(journal, `${performance.now().toFixed(3)} ${appended}\n`, () => {
    journaling = false;
  });
}

function appendSome(): void {
  sign();
  for (let i = 0; i < ROWS_PER_TURN; i++) {
    sink.append(
      createTestExchangeRow(`${prefix}${appended}`, { created_at: Date.now(), decisions_json: padding }),
    );
    appended += 1;
  }
  turns += 1;
  if (turns < TURNS) setTimeout(appendSome, 1);
  else process.exit(1);
}

process.stdout.write('ready\n');
appendSome();
