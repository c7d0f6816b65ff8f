import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locateFindings } from './locate-findings.ts';

const GITHUB = `ghp_${'a1B2'.repeat(9)}`;
const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'a1B2'.repeat(8)}`;

test('findings are located by the path of their value, secrets with what they look like', () => {
  const body = {
    model: 'm',
    messages: [
      { role: 'user', content: 'Hello there' },
      { role: 'user', content: [{ type: 'text', text: `Use ${GITHUB} or ${JWT}` }] },
      { role: 'user', content: 'mail ana@example.com' },
    ],
    metadata: { 'ana@example.com': 'bo@example.com' },
  };
  const places = locateFindings(JSON.stringify(body), new Set(['secret', 'email']));
  assert.deepEqual(places.get('secret'), {
    paths: ['messages[1].content[0].text'],
    detectors: ['api_key', 'jwt'],
  });
  assert.deepEqual(places.get('email')?.paths, ['messages[2].content', 'metadata.*']);
});

test('each detector of secrets has a name', () => {
  const table: readonly [string, string][] = [
    [GITHUB, 'api_key'],
    [JWT, 'jwt'],
    [`-----BEGIN PRIVATE KEY-----\n${'a1B2'.repeat(9)}\n-----END PRIVATE KEY-----`, 'private_key'],
    ['postgres://app:s3cr3tPassw0rd@db.example.com/app', 'url_password'],
    [`aws_secret_access_key = ${'a1B2c3D4e5'.repeat(4)}`, 'aws_secret_key'],
  ];
  for (const [text, detector] of table)
    assert.deepEqual(
      locateFindings(JSON.stringify({ text }), new Set(['secret'])).get('secret')?.detectors,
      [detector],
      detector,
    );
});
