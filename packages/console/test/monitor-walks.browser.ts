import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { callHttp } from '@floe/testkit/http-client';
import type { Page } from 'playwright-core';
import { backdateLastSeen, backdateMonitors, updateStore } from './backdate-store.ts';
import { assertAccessible, takeScreenshot } from './checks.ts';
import {
  CONSOLE_KEY,
  openConsolePage,
  type RestartableHarness,
  startConsoleHarness,
} from './console-harness.ts';

/** What monitoring promises, walked from its beginning to its end: a failure and its message, our own absence, a board. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MISSED = 'no heartbeat received within expected_interval_minutes + grace_period_minutes';
const headers = { 'x-api-key': CONSOLE_KEY };
const LOOKS = [
  ['desktop-light', {}],
  ['desktop-dark', { dark: true }],
  ['phone-light', { phone: true }],
] as const;

/** What the receiver of webhooks was told: `monitor_failing invoices`. */
const told: string[] = [];
let harness: RestartableHarness;
let receiver: Server;

async function api(path: string, body: object) {
  const { status, text } = await callHttp(`${harness.floe.url}/api/monitoring/${path}`, { headers, body });
  assert.ok(status < 300, `${path}: ${status} ${text}`);
}

/** A channel of its own for each monitor: what fails at the same time on one would become one message. */
async function tellAbout(id: string) {
  const address = receiver.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await api('channels', { name: `ops-${id}`, kind: 'webhook', url: `http://127.0.0.1:${port}/${id}` });
}

/** What a job sends. */
const beat = (id: string) => api('heartbeat', { monitor_id: id, metadata: { host: 'db-3' } });

before(async () => {
  receiver = createServer((req, res) => {
    let text = '';
    req.on('data', (part: Buffer) => {
      text += part.toString();
    });
    req.on('end', () => {
      const body: unknown = JSON.parse(text);
      const data = isJsonObject(body) ? body['data'] : null;
      const subject = isJsonObject(data) ? data['subject'] : null;
      told.push(`${isJsonObject(body) ? body['type'] : ''} ${isJsonObject(subject) ? subject['id'] : ''}`);
      res.end('ok');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  harness = await startConsoleHarness();
});
after(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await harness.close();
});

/** A failure of 3 h 51 min twenty days ago, and a history that reaches back for a month. */
function addPast(database: DatabaseSync) {
  const at = (ms: number) => Math.floor((Date.now() - 20 * DAY) / DAY) * DAY + ms;
  const periods = [
    [at(-10 * DAY), 'healthy'],
    [at(3 * HOUR), 'failing'],
    [at(6 * HOUR + 51 * MINUTE), 'healthy'],
  ] as const;
  for (const [started, status] of periods)
    database
      .prepare(
        `insert into monitor_periods (uid, started_at, status, reason)
           select uid, ?, ?, 'beat' from monitors where id = 'archive'`,
      )
      .run(started, status);
}

for (const [name, look] of LOOKS)
  test(`a job that falls silent is told as missed and sent to the channel, and recovers with its next beat: ${name}`, async () => {
    const id = `invoices-${name}`;
    await tellAbout(id);
    const channels = [`ops-${id}`];
    await api('monitors', { id, name: 'Invoice export', expected_interval_minutes: 60, channels });
    await beat(id);
    const { page, context, faults } = await openConsolePage(harness, `/o/acme/monitors/${id}`, look);
    await page.getByRole('rowheader', { name: 'OK' }).waitFor();
    // Three hours in which nothing came.
    updateStore(harness.floe.dataDir, (database) => backdateMonitors(database, 3 * HOUR, [id]));
    await page.getByText(/^Failing since/).waitFor();
    await page
      .getByText('No beat arrived before the deadline.')
      .and(page.getByTitle(MISSED))
      .first()
      .waitFor();
    await page
      .getByText(/^1 h 5\d min$/)
      .first()
      .waitFor();
    const delivered = page.getByText(`ops-${id}: delivered`);
    await delivered.first().waitFor();
    await takeScreenshot(page, `walk-25-failing-${name}`);
    await assertAccessible(page);
    await beat(id);
    await page.getByText('Healthy', { exact: true }).first().waitFor();
    await page.getByText('Invoice export recovered').first().waitFor();
    await delivered.nth(1).waitFor();
    assert.deepEqual(
      told.filter((one) => one.endsWith(` ${id}`)),
      [`monitor_failing ${id}`, `monitor_recovered ${id}`],
    );
    const uptime = page.getByText('Uptime, 24 hours').locator('..');
    await uptime.filter({ hasText: /\d\d?\.\d{3}%\s*1 h 5\d min downtime since creation$/ }).waitFor();
    await takeScreenshot(page, `walk-25-recovered-${name}`);
    await assertAccessible(page);
    assert.deepEqual(faults, []);
    await context.close();
  });

/** Of `10 min 4 s`. */
function secondsOf(duration = ''): number {
  const [, minutes = 0] = /(\d+) min/.exec(duration) ?? [];
  const [, seconds = 0] = /(\d+) s/.exec(duration) ?? [];
  return Number(minutes) * 60 + Number(seconds);
}

/** Walks through the days of the first job by keyboard alone; the words of each, oldest first. */
async function walkDays(page: Page): Promise<string[]> {
  await page.keyboard.press('Tab');
  const shown = page.locator('input[type=radio]:checked + span');
  const said: string[] = [];
  await page.keyboard.press('Space');
  for (let day = 0; day < 90; day += 1) {
    said.push(await shown.innerText());
    const { width = 0 } = (await shown.boundingBox()) ?? {};
    assert.ok(width > 100, 'what the day was is not on screen');
    await page.keyboard.press('ArrowRight');
  }
  return said;
}

test('ten minutes without Floe are unknown everywhere: no downtime, no alert, no zero in a chart', async () => {
  await api('monitors', { id: 'sync', name: 'Hourly sync', expected_interval_minutes: 60 });
  await api('boards', {
    slug: 'status',
    name: 'Acme',
    public: true,
    groups: [{ name: 'Scheduled jobs', monitors: ['nightly-backup', 'sync'] }],
  });
  await beat('sync');
  await beat('nightly-backup');
  await harness.chat('sandbox/echo');
  const before = told.length;
  await harness.restart((dataDir) =>
    updateStore(dataDir, (database) => {
      backdateMonitors(database, 30 * MINUTE, ['sync', 'nightly-backup']);
      backdateLastSeen(database, 10 * MINUTE);
    }),
  );
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/monitors/sync');
  await page.getByTitle(/^Unknown for 10 min/).waitFor();
  await page
    .getByText(/^No downtime since creation; 10 min \d+ s unknown$/)
    .first()
    .waitFor();
  await page.getByText('100%', { exact: true }).nth(3).waitFor();
  assert.equal(await page.getByText('100%', { exact: true }).count(), 4);
  await page.getByText('Healthy', { exact: true }).first().waitFor();
  await page.getByText('No alerts yet.').waitFor();
  await takeScreenshot(page, 'walk-26-monitor');
  await assertAccessible(page);
  await page.goto(`${harness.url}/o/acme/overview?range=1h`);
  await page
    .getByRole('img', { name: /Unknown for 10 min .*Floe could not accept beats/ })
    .nth(3)
    .waitFor();
  await takeScreenshot(page, 'walk-26-overview');
  await assertAccessible(page);
  await page.goto(`${harness.url}/o/acme/analytics?range=1h`);
  await page
    .getByRole('img', { name: /Unknown for 10 min .*Floe could not accept beats/ })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Show as table' }).first().click();
  await page.getByRole('cell', { name: '–', exact: true }).nth(7).waitFor();
  await page.goto(`${harness.url}/boards/status`);
  // Ten minutes ago may have been yesterday.
  const days = page.locator('article', { hasText: 'Hourly sync' }).locator('label');
  await days.last().waitFor();
  const lately = (await days.allInnerTexts()).slice(-2);
  assert.match(lately.at(-1) ?? '', /: (unknown [\dmins ]+, )?(waiting [\dmins ]+, )?healthy /);
  const unknown = lately.reduce((sum, day) => sum + secondsOf(/unknown ([\dmins ]+)/.exec(day)?.[1]), 0);
  assert.ok(unknown >= 600 && unknown < 660, lately.join('\n'));
  await page.getByRole('heading', { name: 'All jobs are healthy' }).waitFor();
  await takeScreenshot(page, 'walk-26-board');
  assert.equal(told.length, before);
  assert.deepEqual(faults, []);
  await context.close();
});

for (const [name, look] of LOOKS)
  test(`anybody reads a board without scripts, day by day by keyboard: ${name}`, async () => {
    if (name === LOOKS[0][0]) {
      await api('monitors', { id: 'archive', name: 'Archive', expected_interval_minutes: 1440 });
      await beat('archive');
      await api('boards', {
        slug: 'public',
        name: 'Acme',
        public: true,
        groups: [{ name: 'Jobs', monitors: ['archive', 'nightly-backup'] }],
      });
      updateStore(harness.floe.dataDir, addPast);
    }
    const browser = await harness.browser();
    const phone = 'phone' in look;
    const plain = await browser.newContext({
      javaScriptEnabled: false,
      viewport: phone ? { width: 390, height: 844 } : { width: 1440, height: 900 },
      colorScheme: 'dark' in look ? 'dark' : 'light',
    });
    const board = await plain.newPage();
    await board.goto(`${harness.floe.url}/boards/public`);
    await board.getByRole('heading', { name: 'All jobs are healthy' }).waitFor();
    const days = await walkDays(board);
    assert.equal(new Set(days.map((text) => text.split(':')[0])).size, 90, 'ninety days, each once');
    assert.match(days[0] ?? '', /: no data$/);
    assert.match(days[69] ?? '', /: failing 3 h 51 min, healthy 20 h 9 min$/);
    assert.match(days[75] ?? '', /: healthy all day$/);
    await board.getByText(/Archive was failing/).waitFor();
    await takeScreenshot(board, `walk-27-board-${name}`);
    await plain.close();
    const { page, context, faults } = await openConsolePage(harness, '/boards/public', look);
    await page.locator('label').nth(69).click();
    await page
      .getByText(/failing 3 h 51 min, healthy/)
      .last()
      .waitFor();
    await assertAccessible(page);
    assert.deepEqual(faults, []);
    await context.close();
  });
