import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import type { AwsKeys } from './aws-credential-sources.ts';
import { addSigV4Headers, createSigV4Authorization } from './sigv4.ts';

const KEYS = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const DATE = '20150830T123600Z';
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

/** AWS's own test suite (aws-sig-v4-test-suite) and the example of its documentation: inputs and signature. */
const VECTORS: readonly {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly host?: string;
  readonly service?: string;
  readonly signature: string;
}[] = [
  {
    name: 'get-vanilla',
    method: 'GET',
    path: '/',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  {
    name: 'post-vanilla',
    method: 'POST',
    path: '/',
    signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  },
  {
    name: 'get-vanilla-query-order-key-case',
    method: 'GET',
    path: '/?Param2=value2&Param1=value1',
    signature: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  },
  {
    name: 'get-vanilla-query-order-key',
    method: 'GET',
    path: '/?Param1=value2&Param1=Value1',
    signature: 'eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1',
  },
  {
    name: 'get-utf8',
    method: 'GET',
    path: '/ሴ',
    signature: '8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85',
  },
  {
    name: 'get-space',
    method: 'GET',
    path: '/example space/',
    signature: '652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741',
  },
  {
    name: 'get-header-key-duplicate',
    method: 'GET',
    path: '/',
    headers: [['my-header1', 'value2,value2,value1']],
    signature: 'c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea',
  },
  {
    name: 'post-x-www-form-urlencoded',
    method: 'POST',
    path: '/',
    headers: [['content-type', 'application/x-www-form-urlencoded']],
    body: 'Param1=value1',
    signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  },
  {
    name: 'ListUsers of the documentation',
    method: 'GET',
    path: '/?Action=ListUsers&Version=2010-05-08',
    headers: [['content-type', 'application/x-www-form-urlencoded; charset=utf-8']],
    host: 'iam.amazonaws.com',
    service: 'iam',
    signature: '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  },
];

for (const { name, method, path, headers = [], body = '', ...more } of VECTORS)
  test(`the signature of ${name} equals the published one`, () => {
    const { host = 'example.amazonaws.com', service = 'service', signature } = more;
    const signed = [...headers, ['host', host] as const, ['x-amz-date', DATE] as const];
    const parts = { method, path, headers: signed, bodyHash: hash(body) };
    const authorization = createSigV4Authorization(parts, { region: 'us-east-1', service, date: DATE }, KEYS);
    assert.equal(authorization.split('Signature=')[1], signature);
    assert.ok(
      authorization.startsWith(`AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/${service}/`),
    );
  });

interface SignedRequest {
  readonly name: string;
  readonly method?: string;
  readonly url: string;
  readonly headers: readonly string[];
  readonly body: string;
  readonly keys: AwsKeys;
  readonly region: string;
  readonly service: string;
  /** ISO 8601. */
  readonly date: string;
  readonly authorization: string;
}

/** Our own, signed by botocore 1.44.5 (`SigV4Auth`), which gives the official client's signature for its vector too. */
const OWN_VECTORS: readonly SignedRequest[] = [
  {
    name: 'a body, a session token and an encoded path',
    url: 'https://bedrock-runtime.eu-north-1.amazonaws.com/model/ice-2%3A0/converse',
    headers: ['content-type', 'application/json', 'user-agent', 'not signed'],
    body: '{"messages":[{"role":"user","content":[{"text":"How thick is the ice? é"}]}]}',
    keys: {
      id: 'AKIDFLOE0000000000000',
      secret: 'floe/secret+0123456789abcdefABCDEFGHIJKL',
      token: 'floe-session-token//1+2==',
    },
    region: 'eu-north-1',
    service: 'bedrock',
    date: '2026-11-21T12:00:00Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIDFLOE0000000000000/20261121/eu-north-1/bedrock/aws4_request, ' +
      'SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token, ' +
      'Signature=8ffda873a22a0a79b2daa80d7147d770e3e5f8a38d6abb4223a0343c756e13a6',
  },
  {
    name: 'a query out of order and a header of the service',
    url: 'https://bedrock-runtime.us-west-2.amazonaws.com/model/ice-2/invoke?b=2&a=1%20x&a=0',
    headers: ['content-type', 'application/json; charset=utf-8', 'x-amzn-bedrock-trace', 'ENABLED  FULL'],
    body: '{}',
    keys: { id: 'AKIDFLOE0000000000001', secret: 'another0secret0of0forty0characters000000' },
    region: 'us-west-2',
    service: 'bedrock',
    date: '2027-01-01T00:00:01Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIDFLOE0000000000001/20270101/us-west-2/bedrock/aws4_request, ' +
      'SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amzn-bedrock-trace, ' +
      'Signature=d1e46302e8c45c6bc462250ac596a74d5d5623822eef0cdffaaf7709d1ca3f6b',
  },
  {
    name: 'a port, no body and marks in the path',
    method: 'GET',
    url: 'https://files.ice.example:8443/v1/files/a(b)*!',
    headers: [],
    body: '',
    keys: { id: 'AKIDFLOE0000000000001', secret: 'another0secret0of0forty0characters000000' },
    region: 'us-west-2',
    service: 'bedrock-mantle',
    date: '2027-01-01T00:00:01Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIDFLOE0000000000001/20270101/us-west-2/bedrock-mantle/aws4_request, ' +
      'SignedHeaders=host;x-amz-content-sha256;x-amz-date, ' +
      'Signature=dd9002bdf25f0a5fe488070d128f2faeb8f7de1facd4869d01f96fc38d8961b9',
  },
];

const OFFICIAL = resolve(
  process.env['FLOE_FIXTURES'] ?? resolve(import.meta.dirname, '../../../../../../shared/fixtures'),
  '../specs/aws-sigv4-vectors-openai-node.json',
);

/** The official client's vector, where it lies beside the project. */
function officialVectors(): SignedRequest[] {
  if (!existsSync(OFFICIAL)) return [];
  const { signingDate, region, service, credentials, request, expected } = JSON.parse(
    readFileSync(OFFICIAL, 'utf8'),
  );
  const keys = {
    id: credentials.accessKeyId,
    secret: credentials.secretAccessKey,
    token: credentials.sessionToken,
  };
  return [
    {
      name: 'the official client',
      url: request.url,
      headers: ['content-type', request.contentType, 'user-agent', 'not signed'],
      body: request.body,
      keys,
      region,
      service,
      date: signingDate,
      authorization: expected.authorization,
    },
  ];
}

for (const vector of [...OWN_VECTORS, ...officialVectors()])
  test(`a request has the reference signature: ${vector.name}`, () => {
    const { method = 'POST', url, headers, body, keys, region, service, date, authorization } = vector;
    const { origin, pathname, search } = new URL(url);
    const request = { method, origin, path: pathname + search, headers, body: Buffer.from(body) };
    const flat = addSigV4Headers(request, { region, service }, keys, Date.parse(date));
    const sent = new Map(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1]]] : [])));
    assert.equal(sent.get('authorization'), authorization);
    assert.equal(sent.get('x-amz-date'), new Date(date).toISOString().replace(/[-:]|\.\d{3}/g, ''));
    assert.equal(sent.get('x-amz-content-sha256'), hash(body));
    assert.equal(sent.get('x-amz-security-token'), keys.token);
  });

test('an encoded path is encoded once more, and another day has another signing key', () => {
  const parts = {
    method: 'POST',
    path: '/model/a%3A0/converse',
    headers: [['host', 'h'] as const],
    bodyHash: hash(''),
  };
  const sign = (path: string, date = DATE) =>
    createSigV4Authorization({ ...parts, path }, { region: 'r', service: 's', date }, KEYS);
  assert.notEqual(sign(parts.path), sign('/model/a:0/converse'));
  assert.notEqual(sign(parts.path), sign(parts.path, '20150831T123600Z'));
  assert.equal(sign(parts.path), sign(parts.path));
});
