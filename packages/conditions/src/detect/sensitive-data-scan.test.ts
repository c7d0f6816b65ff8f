import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { characterReadCounter } from './character-codes.ts';
import { type FindingKind, SensitiveDataScan } from './sensitive-data-scan.ts';
import { ReferenceScan } from './test/reference-scan.ts';

const ALL: ReadonlySet<FindingKind> = new Set([
  'secret',
  'email',
  'phone',
  'credit_card',
  'iban',
  'us_ssn',
] as const);

function found(text: string, wanted = ALL): string[] {
  return new SensitiveDataScan(text, wanted).findings.map(
    ({ kind, start, end }) => `${kind} ${text.slice(start, end)}`,
  );
}

/** Of letters and digits in no order, so that it looks like a key; written by a rule, so that no scanner minds. */
function random(length: number, alphabet = 'aB3dE5gH7jK9mN2pQ4sT6vW8xY1z'): string {
  return Array.from({ length }, (_, at) => alphabet[(at * 11 + 3) % alphabet.length]).join('');
}
const CAPITALS = 'A3C5E7G2J4L6N8P9';

const FOUND: Record<FindingKind, readonly string[]> = {
  email: ['ada@example.org', 'first.last+tag@mail.example.co.uk', 'o_b%r-n@x-1.example.museum'],
  phone: [
    '+49 30 1234567',
    '+14155550132',
    '+1 (415) 555-0132',
    '(212) 555-0147',
    '212-555-0147',
    '212.555.0147',
    '212 555 0147',
  ],
  credit_card: [
    '4111111111111111',
    '4111 1111 1111 1111',
    '5500-0000-0000-0004',
    '3400 000000 00009',
    '30000000000004',
    '6011000000000004',
    '2223000048400011',
    '4111\t1111\t1111\t1111',
    '4111 1111\r\n1111 1111',
    '4111  1111  1111  1111',
    '4111 - 1111 - 1111 - 1111',
    '4111/1111/1111/1111',
    '4111.1111.1111.1111',
    '3400\n000000\n00009',
    '4111 1111 1111 1111',
    '４１１１１１１１１１１１１１１１',
    '4111​1111​1111​1111',
  ],
  iban: [
    'DE89370400440532013000',
    'DE89 3704 0044 0532 0130 00',
    'GB82 WEST 1234 5698 7654 32',
    'nl91abna0417164300',
  ],
  us_ssn: ['123-45-6789', '078 05 1120', '899‐12‐3456'],
  secret: [
    `AKIA${random(16, CAPITALS)}`,
    `ghp_${random(36)}`,
    `github_pat_${random(60)}`,
    `sk-proj-${random(40)}`,
    `sk-ant-api03-${random(60)}`,
    `sk-${random(48)}`,
    `eis_${random(40)}`,
    `xoxb-${random(12, '1234567890')}-${random(24)}`,
    `AIza${random(35)}`,
    `sk_live_${random(24)}`,
    `glpat-${random(20)}`,
    `npm_${random(36)}`,
    `eyJ${random(20)}.eyJ${random(30)}.${random(43)}`,
    `-----BEGIN RSA PRIVATE KEY-----\n${random(64)}\n-----END RSA PRIVATE KEY-----`,
    `-----BEGIN PRIVATE KEY-----\n${random(64)}`,
    `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,${random(32)}\n\n${random(64)}\nab==\n-----END RSA PRIVATE KEY-----`,
    `-----BEGIN PRIVATE KEY-----" +\n      "${random(64)}\\n" +\n      "${random(40)}\\n" +\n      "-----END PRIVATE KEY-----`,
    `-----BEGIN EC PRIVATE KEY-----\n  12\t${random(64)}\n  13\t${random(12)}==\n  14\t-----END EC PRIVATE KEY-----`,
    `-----BEGIN PRIVATE KEY-----\n2026-11-29T20:52:35Z app | ${random(64)}\n2026-11-29T20:52:35Z app | -----END PRIVATE KEY-----`,
    `-----BEGIN PRIVATE KEY-----\nauthenticationservice | ${random(64)}\nauthenticationservice | -----END PRIVATE KEY-----`,
    `-----BEGIN PRIVATE KEY-----\n[ApplicationServerWorker] ${random(64)}\n[ApplicationServerWorker] -----END PRIVATE KEY-----`,
  ],
};

const AROUND = [
  ['', ''],
  ['My value is ', ', thank you.'],
  ['value="', '"'],
  ['(', ') and so on'],
  ['line\n', '\nline'],
] as const;

for (const kind of [...ALL])
  test(`${kind}: every spelling is found whole, alone and among words`, () => {
    for (const value of FOUND[kind])
      for (const [before, after] of AROUND) {
        if (kind === 'secret' && value.startsWith('-----BEGIN PRIVATE') && after !== '') continue;
        assert.deepEqual(found(before + value + after), [`${kind} ${value}`], before + value + after);
      }
  });

const NEAR_MISSES: Record<FindingKind, readonly string[]> = {
  email: [
    '@decorator',
    'user@host',
    'a@b.c',
    'left-pad@1.3.0',
    '@scope/package',
    'git@github.com:org/repo',
    'x@.com',
    '@',
    'a @b.com',
    'https://x-access-token:$GITHUB_TOKEN@github.com/a/b',
    'https://x:***@github.com/a/b',
  ],
  phone: [
    '2026-11-21',
    '192.168.100.2000',
    '1234567890',
    '+1234',
    '1+12345678',
    '111-555-0147',
    '212-55-50147',
    '212-555.0147',
    '+0123456789',
    'a212-555-0147x',
    '(1 + 2) 3',
  ],
  credit_card: [
    '4111111111111112',
    '1764000000000',
    '0000000000000000',
    '4444444444444448888',
    '411111111111111',
    'x4111111111111111',
    '4111111111111111a',
    '4111111111111111.5',
    '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1',
    '550e8400-e29b-41d4-a716-446655440000',
    '9007199254740993',
    '2024\t4111\t1111\t1111\t1111',
    '4111\n1111\n1111\n1111\n1111\n1111',
    '4111/1111.1111/1111',
    '411/1111/1111/11111',
    '4111.1111.1111.1111.5',
  ],
  iban: [
    'DE89370400440532013001',
    'DE8937040044053201300',
    'DE893704004405320130000',
    'XX89370400440532013000',
    'XDE89370400440532013000',
    'DE89 37040 0440532013000',
    'ISO9001',
  ],
  us_ssn: [
    '000-12-3456',
    '666-12-3456',
    '900-12-3456',
    '123-00-4567',
    '123-45-0000',
    '123456789',
    '123-456-789',
    '123-45 6789',
    '1123-45-6789',
    '123-45-67890',
  ],
  secret: [
    'AKIAEXAMPLE',
    `AKIA${random(16)}`,
    `ghp_${'x'.repeat(36)}`,
    'ghp_short1',
    'sk-your-api-key-goes-here-please-do-not-share',
    `sk-${'learn-'.repeat(8)}`,
    'eyJhbGciOiJIUzI1NiJ9',
    '-----BEGIN CERTIFICATE-----',
    '-----BEGIN PUBLIC KEY-----',
    'https://example.org:8443/a@b',
    "['http://localhost:8080','foo@bar.com']",
    "cors('http://h:3000',import('@scope/x'))",
    '<http://localhost:3000>,<me@x.com>',
    'postgres://app:$PASSWORD@db/x',
    'mysql://$user:$dbPassword@$host/x',
    'mysql://%s:%s@%s/x',
    'https://u:%DB_PASS%@host/x',
    'https://oauth2:$1@github.com',
    'https://$1:$2@github.com/x',
    'https://x:$env:GITHUB_TOKEN@github.com',
    'https://x:$$TOKEN@github.com',
    'mysql://u:$pass1@host/x',
    'jdbc:mysql://%1$s:%2$s@%3$s/x',
    'https://%[1]s:%[2]s@%[3]s/x',
    "'postgres://u:'+p+'@'+h",
    "'postgres://u:'.$p.'@'.$h",
    "'postgres://u:'||p||'@'||h",
    "if (line.startsWith('-----BEGIN PRIVATE KEY-----')) {\n  return parse(line);\n}\nexport default x;",
    "pem.replace('-----BEGIN PRIVATE KEY-----', '').replace('-----END PRIVATE KEY-----', '')",
    '-----BEGIN RSA PRIVATE KEY----- is the header of a file.\nAnother paragraph of the text.',
    '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhki...\n-----END PRIVATE KEY-----',
    "a.ts:12: '-----BEGIN PRIVATE KEY-----',\n./src/auth/oauth2/keyloader.ts:13:  read(line);",
    'a.go:12: -----BEGIN RSA PRIVATE KEY-----\ncrypto/x509/pemdecrypt_test.go:13: read(line)',
    "-----BEGIN PRIVATE KEY-----',\nsrc/main/java/com/example/oauth2/keys/PrivateKeyLoader.java:13: read(line);",
    "-----BEGIN PRIVATE KEY-----'));\n  expectPkcs8PrivateKey(key);",
    'https://user@example.org',
    'postgres://user:<password>@db/x',
    'secret_access_key = "changeme"',
    random(400),
  ],
};

for (const kind of [...ALL])
  test(`${kind}: what only resembles one is left alone`, () => {
    for (const value of NEAR_MISSES[kind]) assert.deepEqual(found(value, new Set([kind])), [], value);
  });

test('only the key itself is found after the header of a private key', () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${random(64)}\n${random(64)}`;
  assert.deepEqual(found(`${key}\nThe rest of the file stays.\n`), [`secret ${key}`]);
  assert.deepEqual(found(`${key}\naB3`), [`secret ${key}\naB3`]);
  const closed = `${key}\n-----END PRIVATE KEY-----`;
  const certificate = `-----BEGIN CERTIFICATE-----\n${random(64)}\n-----END CERTIFICATE-----\n`;
  assert.deepEqual(found(`${closed}\n${certificate}`), [`secret ${closed}`]);
  assert.deepEqual(found(`${closed}\n${closed}\n`), [`secret ${closed}`, `secret ${closed}`]);
});

test('any number of findings fit', () => {
  const text = `\\u0040 ${'a@b.co '.repeat(150_000)}`;
  assert.equal(new SensitiveDataScan(text, new Set(['email'])).findings.length, 150_000);
});

test('a password in an address is found, whatever its first character', () => {
  for (const password of ['%23Xk92mQpL7z', '$ecretXk92', '%d1Xk92', '123456;x', 'a,b)c'])
    assert.deepEqual(found(`postgres://app:${password}@db.acme.example/app`), [`secret ${password}`]);
});

test('the password of an address is not an email address, unless a host follows it', () => {
  const email = new Set<FindingKind>(['email']);
  assert.deepEqual(found('postgres://floe:hunter2@db.example:5432/x', email), []);
  assert.deepEqual(found('ftp://anonymous:ana@example.com@host/x', email), ['email ana@example.com']);
  assert.deepEqual(found("['http://localhost:8080','foo@bar.com']", email), ['email foo@bar.com']);
});

test('a kind is found where it is found alone, whatever other kinds are wanted', () => {
  const pieces = [...Object.values(FOUND).flat(), ...Object.values(NEAR_MISSES).flat()];
  const piece = fc.oneof(
    fc.constantFrom(...pieces, ...'@+(-:/_. \t\n"\'\\', '://', 'https://a:', '-----BEGIN PRIVATE KEY-----\n'),
    fc.constantFrom('\u001b[31m', '\\n', '\\u0040', '%40', '%3D', '\u00ad', '@x.org', '212-555-0147@x.org'),
    fc.stringMatching(/^[0-9 .-]{1,24}$/),
    fc.stringMatching(/^[A-Za-z0-9_-]{1,24}$/),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 10 }),
      fc.subarray([...ALL], { minLength: 1 }),
      (parts, kinds) => {
        const text = parts.join('');
        const { findings } = new SensitiveDataScan(text, new Set(kinds));
        for (const kind of kinds) {
          const alone = new SensitiveDataScan(text, new Set([kind])).findings;
          const together = findings.flatMap((one) => [one.kind, ...(one.otherKinds ?? [])]);
          assert.equal(
            together.filter((one) => one === kind).length,
            alone.length,
            JSON.stringify([text, kind]),
          );
          for (const { start, end } of alone)
            assert.ok(
              findings.some((one) => one.start <= start && one.end >= end),
              JSON.stringify([text, kind]),
            );
        }
      },
    ),
    { numRuns: process.env['FLOE_TEST_FULL'] ? 20_000 : 1_500 },
  );
});

test('a password in an address and the value of a named secret are found without what is around them', () => {
  assert.deepEqual(found('postgres://floe:hunter2@db.example:5432/x'), ['secret hunter2']);
  const key = random(40);
  assert.deepEqual(found(`aws_secret_access_key = "${key}"`), [`secret ${key}`]);
  assert.deepEqual(found(`"SECRET_ACCESS_KEY": '${key}'`), [`secret ${key}`]);
});

test('blanks, line breaks, dots and slashes between the groups of a card do not hide it', () => {
  for (const between of ['  ', '\t', '\n', ' \r\n', '.', '/', ' - ', '-\n']) {
    const card = ['4111', '1111', '1111', '1111'].join(between);
    assert.deepEqual(found(`pay 12 with ${card}, please`), [`credit_card ${card}`], JSON.stringify(between));
    assert.deepEqual(found(`7702${between}${card}`, new Set(['credit_card'])), [], JSON.stringify(between));
  }
});

test('a card is found before an expiry date, and only kinds that are wanted are looked for', () => {
  assert.deepEqual(found('4111 1111 1111 1111 12/27 123'), ['credit_card 4111 1111 1111 1111']);
  assert.deepEqual(found('ada@example.org 123-45-6789', new Set(['us_ssn'])), ['us_ssn 123-45-6789']);
});

test('findings are in order and apart, whatever the text', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom(
      ...Object.values(FOUND).flat(),
      ...Object.values(NEAR_MISSES).flat(),
      '@',
      '+',
      '-',
      '.',
      ' ',
      '://',
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      let reached = 0;
      for (const { start, end } of new SensitiveDataScan(text, ALL).findings) {
        assert.ok(start >= reached && end > start && end <= text.length);
        reached = end;
      }
    }),
    { numRuns: process.env['FLOE_TEST_FULL'] ? 20_000 : 500 },
  );
});

test('the work is linear in the text, however it is made to hurt', () => {
  const hostile = [
    'a@',
    'a@b',
    'a.b@',
    '@',
    '1',
    '1 ',
    '1-',
    '4111 1111 1111 1111 ',
    '4111-',
    '4111\t',
    '4111    ',
    '4111\n1111 ',
    '+1 ',
    '(212) ',
    '(',
    'eyJa.',
    'eyJ',
    'sk-',
    'sk-a1',
    'AKIA',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\nProc-Type: 4\n',
    '-----BEGIN PRIVATE KEY-----\naB3dE5gH7jK9mN2pQ4',
    `-----BEGIN PRIVATE KEY-----\n${random(40)}\n`,
    `-----BEGIN PRIVATE KEY-----\n${random(24)}.a ${random(24)}.a `,
    'a://u:p@h.de ',
    'a://u:1234,5@h.de',
    'a://',
    'a://u:',
    'DE89 ',
    'secret_access_key ',
    '​',
    '-',
    'a',
    'a1_-',
    '\\',
    '\\n',
    '\\u0040',
    '\\\\"a@',
  ];
  for (const piece of hostile) {
    const text = piece.repeat(Math.ceil(100_000 / piece.length));
    const before = characterReadCounter.reads;
    new SensitiveDataScan(text, ALL);
    const perCharacter = (characterReadCounter.reads - before) / text.length;
    assert.ok(perCharacter < 40, `${JSON.stringify(piece)}: ${perCharacter} reads for each character`);
  }
});

test('the scan finds what the straightforward one finds', () => {
  // The reference does not decode escape sequences.
  const pieces = Object.values(FOUND)
    .flat()
    .filter((value) => !value.includes('\\'));
  const piece = fc.oneof(
    fc.constantFrom(
      ...pieces,
      ...'@+(-:/_. \t\n"\'',
      '://',
      '-----BEGIN ',
      'eyJ',
      'secret_access_key',
      '\u00ad',
      '\u0141',
      '\u{1e145}',
    ),
    fc.string({ maxLength: 12, unit: 'grapheme' }),
    fc.stringMatching(/^[0-9 .-]{1,24}$/),
    fc.stringMatching(/^4111[\t\n /.-]{1,3}1111[\t\n /.-]{1,3}1111[\t\n /.-]{1,3}1111$/),
    fc.stringMatching(/^[A-Za-z0-9_-]{1,48}$/),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.subarray([...ALL]), (parts, kinds) => {
      const [text, wanted] = [parts.join(''), new Set(kinds)];
      assert.deepEqual(
        new SensitiveDataScan(text, wanted).findings,
        new ReferenceScan(text, wanted).findings,
        JSON.stringify(text),
      );
    }),
    { numRuns: 3_000 },
  );
});
