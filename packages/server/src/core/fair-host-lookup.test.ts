import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairHostLookup, type HostLookup } from './fair-host-lookup.ts';

/** A resolver that responds when the test says so. */
function createManualLookup() {
  const open: { readonly host: string; readonly answer: () => void }[] = [];
  const lookup: HostLookup = (host, _options, done) => {
    open.push({ host, answer: () => done(null, [{ address: '192.0.2.1', family: 4 }]) });
  };
  return { lookup, open, hosts: () => open.map(({ host }) => host) };
}

const LIMITS = { total: 4, perOrg: 2, waitingPerOrg: 5 };

function createLookups() {
  const resolver = createManualLookup();
  const lookups = new FairHostLookup(resolver.lookup, LIMITS);
  const resolved: string[] = [];
  const resolve = (orgId: string | null, host: string) =>
    lookups.resolve(orgId, host, { all: true }, (error) => resolved.push(error ? `${host} failed` : host));
  return { ...resolver, resolve, resolved };
}

test('host names of one organization that do not resolve do not delay the names of another one', () => {
  const { resolve, hosts } = createLookups();
  for (const n of [1, 2, 3, 4]) resolve('hostile', `hangs${n}.test`);
  resolve('acme', 'api.test');
  assert.deepEqual(hosts(), ['hangs1.test', 'hangs2.test', 'api.test']);
});

test('organizations that wait take turns, and each waiting name is resolved', () => {
  const { resolve, open, hosts, resolved } = createLookups();
  for (const org of ['one', 'two']) for (const n of [1, 2, 3]) resolve(org, `${org}${n}.test`);
  resolve('three', 'three1.test');
  resolve(null, 'server1.test');
  assert.deepEqual(hosts(), ['one1.test', 'one2.test', 'two1.test', 'two2.test']);
  for (let at = 0; at < open.length; at++) open[at]?.answer();
  assert.deepEqual(hosts().slice(4).toSorted(), ['one3.test', 'server1.test', 'three1.test', 'two3.test']);
  assert.equal(resolved.length, 8);
});

test('concurrent calls for the same name share one lookup, also if they were not resolved yet', () => {
  const { resolve, open, hosts, resolved } = createLookups();
  for (let n = 0; n < 20; n++) resolve('acme', 'api.test');
  assert.deepEqual(hosts(), ['api.test']);
  open[0]?.answer();
  assert.equal(resolved.length, 20);
  resolve('acme', 'api.test');
  assert.equal(hosts().length, 2);
});

test('an organization with too many waiting names gets an error for further ones', async () => {
  const { resolve, resolved } = createLookups();
  for (let n = 0; n < 8; n++) resolve('hostile', `hangs${n}.test`);
  await new Promise(setImmediate);
  assert.deepEqual(resolved, ['hangs7.test failed']);
});
