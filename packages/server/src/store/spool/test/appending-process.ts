// A process that appends rows until it is killed. Arguments: data directory, journal, prefix of its ids,
// URL of the database.
//
// The journal records the guarantees: a line "<ms> <n>" means that at <ms> all rows below <n> had been
// appended. The threads of the spool write it too, one line at a time, so that its last line is the last
// time at which the process and its writes are known to have run.
import { openSync, write } from 'node:fs';
import { systemClock } from '../../../core/clock.ts';
import { silentLog } from '../../../core/log.ts';
import { lockDataDir } from '../../data-dir-lock.ts';
import { openDatabase } from '../../open-database.ts';
import { createTestExchangeRow } from '../../test/rows.ts';
import { openExchangeRowSink } from '../row-sink.ts';

const ROWS_PER_TURN = 15;
/** Ends the process after 30 s if its parent was killed. */
const TURNS = 30_000;

const [dataDir = '', journalPath = '', prefix = '', url = 'sqlite:'] = process.argv.slice(2);
lockDataDir(dataDir);
const parts = { dataDir, log: silentLog, clock: systemClock };
const database = await openDatabase(url, parts);
const sink = await openExchangeRowSink({ ...parts, database });
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
