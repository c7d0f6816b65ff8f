import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AlertResource } from './channel-data.ts';
import { findLastDeliveries } from './last-deliveries.ts';

type Delivery = AlertResource['deliveries'][number];

const at = (hour: number) => new Date(Date.UTC(2026, 10, 29, hour)).toISOString();

const SENT: Delivery = {
  id: 'dlv_1',
  channel: 'ops',
  state: 'sent',
  pending_reason: null,
  repetition: 0,
  attempts: 1,
  due_at: at(1),
  sent_at: at(1),
  status: 200,
  error: null,
  grouped_into: null,
};
const FAILED: Delivery = {
  ...{ ...SENT, id: 'dlv_2', state: 'failed', repetition: 1, due_at: at(2), sent_at: null },
  ...{ status: 500, error: 'The receiver responded with status 500.' },
};

const idOf = (deliveries: Delivery[]) => findLastDeliveries([{ deliveries }]).get('ops')?.id;

test('the last delivery of a channel is the newest repetition that was tried', () => {
  assert.equal(idOf([SENT, FAILED]), 'dlv_2');
  assert.equal(idOf([FAILED, { ...SENT, id: 'dlv_3', sent_at: at(3) }]), 'dlv_3');
  const later = { ...SENT, id: 'dlv_4', due_at: at(9), sent_at: null };
  assert.equal(idOf([SENT, { ...later, state: 'pending', pending_reason: 'repeat' }]), 'dlv_1');
  assert.equal(idOf([{ ...later, state: 'muted' }]), undefined);
});

test('a delivery that was not tried is not the last one, although its error says why', () => {
  const untried = { ...FAILED, attempts: 0, status: null };
  for (const [state, error] of [
    ['muted', 'the alert ended while it was muted'],
    ['skipped', 'the alert has ended'],
    ['failed', 'the channel was disabled'],
  ] as const) {
    assert.equal(idOf([{ ...untried, state, error }]), undefined, state);
    assert.equal(idOf([SENT, { ...untried, state, error }]), 'dlv_1', state);
  }
  assert.equal(idOf([SENT, { ...FAILED, state: 'skipped', error: 'the alert has ended' }]), 'dlv_1');
  assert.equal(idOf([SENT, { ...FAILED, state: 'pending' }]), 'dlv_2');
});

test('an older alert can have the newer delivery', () => {
  const older = { deliveries: [{ ...SENT, id: 'dlv_5', sent_at: at(5) }] };
  assert.equal(findLastDeliveries([{ deliveries: [SENT] }, older]).get('ops')?.id, 'dlv_5');
});
