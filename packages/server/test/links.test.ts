import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ChannelConfig } from '@floe/contract/config';
import { BudgetSchema } from '@floe/contract/config/limits-cache-policies';
import { ChannelSchema } from '@floe/contract/config/monitoring';
import type { Alert } from '../src/alerts/alert.ts';
import {
  type AlertMessage,
  createAlertMessage,
  createTestAlertMessage,
} from '../src/alerts/alert-message.ts';
import { CHANNEL_DEFINITIONS } from '../src/alerts/channels/channel-definitions.ts';
import { createBudgetThresholdAlerts } from '../src/guardrails/budget-threshold-alerts.ts';
import { compileBudget, toConfiguredLimitOrBudget } from '../src/guardrails/compile-limits-and-budgets.ts';
import { createConsoleRoutes } from '../src/http/console-routes.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const NOW = Date.UTC(2026, 10, 21, 12);
const BASES = ['https://floe.example', 'https://floe.example:8443/tools/floe'];
const consoleRoutes = createConsoleRoutes({ dir: 'none', prefix: '', answerUnbuilt: () => undefined });

function files(dir: string, ending: string): string[] {
  return readdirSync(join(ROOT, dir), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => readFileSync(join(ROOT, dir, file), 'utf8'));
}

/** Pages of an org that the console has, as patterns. */
const PAGES = files('packages/console/src/pages', 'routes.ts').flatMap((text) =>
  [...text.matchAll(/path: '(\/[^']*)'/g)].map(
    ([, path = '']) => new RegExp(`^/o/acme${path.replaceAll(/\$\w+/g, '[^/]+')}$`),
  ),
);

const common = { orgId: 'acme', idempotencyKey: 'key', at: NOW, channels: null } as const;
const monitor = { kind: 'monitor', id: 'nightly/eu backup', name: 'Nightly backup' } as const;
const breaker = { kind: 'breaker', id: 'main/large@default', name: 'main/large' } as const;
const state = { failingSinceMs: NOW, tags: [] };
const budget = {
  budgetId: 'bud_1',
  share: 1,
  spentNanoUsd: 1e9,
  limitNanoUsd: 1e9,
  period: 'day',
  mode: 'hard',
  resetsAtMs: null,
} as const;

/** Each kind of alert, and what its page must be about. */
const ALERTS: readonly (readonly [Alert, RegExp])[] = [
  [
    {
      ...common,
      event: 'monitor_failing',
      subject: monitor,
      fields: { ...state, error: 'e', lastBeatMs: null },
    },
    /^\/o\/acme\/monitors\/nightly%2Feu%20backup$/,
  ],
  [
    { ...common, event: 'monitor_recovered', subject: monitor, fields: { ...state, downtimeMs: 5 } },
    /^\/o\/acme\/monitors\/nightly%2Feu%20backup$/,
  ],
  [
    {
      ...common,
      event: 'monitor_recovered',
      subject: monitor,
      fields: { ...state, downtimeMs: 5, deleted: true },
    },
    /^\/o\/acme\/alerts\?subject=nightly%2Feu%20backup$/,
  ],
  [
    {
      ...common,
      event: 'monitor_never_beaten',
      subject: monitor,
      fields: { waitingSinceMs: NOW, tags: [] },
    },
    /^\/o\/acme\/monitors\/nightly%2Feu%20backup$/,
  ],
  [
    {
      ...common,
      event: 'budget',
      subject: { kind: 'budget', id: 'b:bud_1:day:x:org', name: 'Agents' },
      fields: budget,
    },
    /budgets\?open=bud_1$/,
  ],
  [
    { ...common, event: 'breaker', subject: breaker, fields: { state: 'open', sinceMs: NOW } },
    /breakers\?open=main%2Flarge%40default$/,
  ],
  [
    {
      ...common,
      event: 'credential',
      subject: { ...breaker, kind: 'credential' },
      fields: { state: 'bad', sinceMs: NOW },
    },
    /breakers\?open=main%2Flarge%40default$/,
  ],
];

const CHANNELS = [
  { name: 'c', kind: 'webhook', url: 'https://hooks.example/a' },
  { name: 'c', kind: 'slack', url: 'https://hooks.example/a' },
  { name: 'c', kind: 'discord', url: 'https://hooks.example/a' },
  { name: 'c', kind: 'teams', url: 'https://hooks.example/a' },
  { name: 'c', kind: 'email', to: ['a@acme.example'] },
  { name: 'c', kind: 'pagerduty', routing_key: 'k' },
  { name: 'c', kind: 'ntfy', url: 'https://ntfy.example/topic' },
  { name: 'c', kind: 'telegram', bot_token: 't', chat_id: '1' },
];

/** What a channel is sent, as one text. */
function sent(channel: object, notice: AlertMessage): string {
  return JSON.stringify(messageOf(ChannelSchema.parse(channel), notice));
}

function messageOf(config: ChannelConfig, notice: AlertMessage): unknown {
  const signing = { previousSecret: null };
  switch (config.kind) {
    case 'webhook':
      return CHANNEL_DEFINITIONS.webhook.http?.message(notice, config, signing);
    case 'email':
      return CHANNEL_DEFINITIONS.email.mail?.(notice, config);
    case 'pagerduty':
      return CHANNEL_DEFINITIONS.pagerduty.http?.message(notice, config, signing);
    case 'ntfy':
      return CHANNEL_DEFINITIONS.ntfy.http?.message(notice, config, signing);
    case 'telegram':
      return CHANNEL_DEFINITIONS.telegram.http?.message(notice, config, signing);
    default:
      return CHANNEL_DEFINITIONS[config.kind].http?.message(notice, config, signing);
  }
}

function linksIn(text: string, base: string): string[] {
  const links = text.match(/https?:\/\/[^\s"\\<>)]+/g) ?? [];
  return links.filter((link) => link.startsWith(base));
}

function mustBePage(link: string, base: string): string {
  const path = link.slice(base.length);
  const [page = ''] = path.split('?');
  assert.ok(consoleRoutes.matches(page), `the server has no page at ${link}`);
  assert.ok(
    PAGES.some((pattern) => pattern.test(page)),
    `the console has no page at ${link}`,
  );
  return path;
}

test('every link in every message, for every channel and base URL, leads to the named page', () => {
  assert.ok(PAGES.length > 20);
  let found = 0;
  for (const base of BASES)
    for (const channel of CHANNELS)
      for (const phase of ['opens', 'closes', 'info'] as const)
        for (const [one, about] of ALERTS) {
          const told = { id: 'dlv_1', thread: 'dlv_1', phase, repetition: 0, failureCount: 1 };
          for (const link of linksIn(
            sent(channel, createAlertMessage({ ...told, alerts: [one] }, base, NOW)),
            base,
          )) {
            assert.match(mustBePage(link, base), about);
            found += 1;
          }
          const many = createAlertMessage({ ...told, alerts: [one, one] }, base, NOW);
          for (const link of linksIn(sent(channel, many), base))
            assert.equal(mustBePage(link, base), '/o/acme/alerts');
        }
  for (const base of BASES)
    for (const channel of CHANNELS) {
      const notice = createTestAlertMessage('dlv_1', { orgId: 'acme', name: 'c' }, base, NOW);
      for (const link of linksIn(sent(channel, notice), base))
        assert.equal(mustBePage(link, base), '/o/acme/channels');
    }
  // Every channel but the closing of an incident carries at least one.
  assert.ok(found >= BASES.length * (CHANNELS.length * 3 - 1) * ALERTS.length);
});

test("a budget alert has the budget's id and name, for any id", () => {
  for (const name of ['agents', 'a.b-c']) {
    const config = BudgetSchema.parse({ name, scope: 'org', limit_usd: 1, period: 'day' });
    const rule = compileBudget(toConfiguredLimitOrBudget(config), 'UTC');
    const { bucket } = rule.buckets.get('key:of:someone', NOW);
    const spent = {
      orgId: 'acme',
      bucket,
      name: 'b',
      mode: 'hard',
      period: 'day',
      day: '',
      endsAt: 0,
    } as const;
    const sums = {
      nanoUsd: 1,
      limitNanoUsd: 10,
      beforeNanoUsd: 1,
      afterNanoUsd: 10,
      expiresAt: 0,
      isCurrentPeriod: true,
    };
    const [first] = createBudgetThresholdAlerts([{ ...spent, ...sums }], NOW);
    assert.ok(first?.event === 'budget');
    assert.equal(first.fields.budgetId, rule.id);
  }
});

test('every other link of the server leads to an existing page', () => {
  const text = files('packages/server/src', '.ts').join('\n');
  const links = [
    ...text.matchAll(
      /\$\{(?:[\w.]*baseUrl(?:\(\))?|[\w.]*info\.url|this\.#parts\.baseUrl\(\))\}(\/[^`\s]*)/g,
    ),
  ].map(([, path = '']) => path.replaceAll(/\$\{[^}]*\}/g, 'x'));
  assert.ok(links.length >= 6, links.join());
  const ANSWERED = /^\/(boards\/|beat\/|gateway\/v1|api\/|relay\/v1)/;
  for (const link of links) {
    const [path = ''] = link.split(/[?#]/);
    assert.ok(ANSWERED.test(path) || consoleRoutes.matches(path), link);
    if (path.startsWith('/o/x/'))
      assert.ok(
        PAGES.some((pattern) => pattern.test(path.replace('/o/x', '/o/acme'))),
        link,
      );
  }
});
