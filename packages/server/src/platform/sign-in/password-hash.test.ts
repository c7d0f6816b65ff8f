import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCommonPassword } from './common-passwords.ts';
import { createPasswordHasher, findPasswordSignInProblem } from './password-hash.ts';

test('a password is stored as an Argon2id PHC string with the OWASP parameters, and can be verified', async () => {
  const hasher = createPasswordHasher();
  const stored = await hasher.hash('quiet harbour lantern');
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.ok(await hasher.verify('quiet harbour lantern', stored));
  assert.ok(!(await hasher.verify('quiet harbour lanterN', stored)));
  assert.ok(!hasher.isOutdated(stored));
  assert.notEqual(await hasher.hash('quiet harbour lantern'), stored, 'every hash has its salt');
});

/** Takes down what it was asked; answers with a tag that only depends on the password. */
function counting() {
  const asked: { memory: number; passes: number; parallelism: number }[] = [];
  const waiting: (() => void)[] = [];
  const hasher = createPasswordHasher((_, { memory, passes, parallelism, message, tagLength }, done) => {
    asked.push({ memory, passes, parallelism });
    waiting.push(() => done(null, Buffer.alloc(tagLength, message)));
  });
  return { hasher, asked, waiting };
}

test('a hash of an older release is verified with its own parameters and marked as outdated', async () => {
  const { hasher, asked, waiting } = counting();
  const stored = `$argon2id$v=19$m=4096,t=3,p=1$${'A'.repeat(22)}$${Buffer.alloc(32, 'pw').toString('base64').replace(/=+$/, '')}`;
  const checked = hasher.verify('pw', stored);
  await turn();
  waiting.shift()?.();
  assert.ok(await checked);
  assert.deepEqual(asked, [{ memory: 4096, passes: 3, parallelism: 1 }]);
  assert.ok(hasher.isOutdated(stored));
});

test('missing, invalid and too expensive hashes are verified at the usual cost and never match', async () => {
  const { hasher, asked, waiting } = counting();
  const dear = `$argon2id$v=19$m=999999,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
  for (const stored of [null, '', 'plain', dear]) {
    const checked = hasher.verify('pw', stored);
    await turn();
    waiting.shift()?.();
    assert.equal(await checked, false);
  }
  assert.deepEqual(new Set(asked.map(({ memory, passes }) => `${memory} ${passes}`)), new Set(['19456 2']));
  assert.equal(asked.length, 4);
});

test('two passwords are hashed simultaneously, some wait, and further ones are rejected with a retry time', async () => {
  const { hasher, asked, waiting } = counting();
  const all = Array.from({ length: 70 }, () =>
    hasher.hash('pw').then(
      () => 'done',
      (error) => error.code,
    ),
  );
  await turn();
  assert.equal(asked.length, 2);
  let most = 0;
  while (waiting.length > 0) {
    most = Math.max(most, waiting.length);
    waiting.shift()?.();
    await turn();
  }
  const outcomes = await Promise.all(all);
  assert.equal(most, 2);
  assert.equal(outcomes.filter((outcome) => outcome === 'done').length, 66);
  assert.equal(outcomes.filter((outcome) => outcome === 'overloaded').length, 4);
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('common passwords are rejected, and several unrelated words are accepted', () => {
  const refused = [
    'password1234',
    'Passw0rd!2026',
    '123456789012',
    'qwertyuiop12',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    'letmeinletmein',
    '1q2w3e4r5t6y',
    'mara.koch1990',
    'mara.koch@acme.example',
    'Welcome-2026!!',
    'administrator',
  ];
  for (const password of refused) assert.ok(isCommonPassword(password, 'mara.koch@acme.example'), password);
  for (const password of [
    'quiet harbour lantern',
    'Tr0ub4dor&3xyzw',
    '7c1f9a3e5b2d',
    'пароль длинный верный',
    'mara likes cheese',
  ])
    assert.ok(!isCommonPassword(password, 'mara.koch@acme.example'), password);
});

test('passwords that are enabled but do not work in this Node.js version are a problem with a remedy', () => {
  const problem = findPasswordSignInProblem({ password: true }, false);
  assert.match(problem?.message ?? '', /^members cannot sign in with a password, because Node\.js \d/);
  assert.match(problem?.remedy ?? '', /^Use Node\.js 24 or 26\. Or set auth\.password to false/);
  assert.equal(findPasswordSignInProblem({ password: false }, false), null);
  assert.equal(findPasswordSignInProblem({ password: true }, true), null);
});
