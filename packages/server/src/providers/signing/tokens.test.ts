// Keys and tokens from every source, had from fakes over loopback, and what the faults of these look like.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { FakeClock } from '@floe/testkit/fake-clock';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { findInjectedFault } from '@floe/testkit/fault-table';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import { createJsonReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import { createUpstreamHttpTransport } from '../upstream-http-transport.ts';
import { type AwsCredentialSettings, resolveAwsCredentialSources } from './aws-credential-sources.ts';
import { fetchAwsCredentials } from './aws-credentials.ts';
import { resolveGoogleTokenSources } from './google-token-sources.ts';
import { fetchGoogleToken } from './google-tokens.ts';

const folder = mkdtempSync(join(tmpdir(), 'floe-tokens-'));
const clock = new FakeClock();
const transport = createUpstreamHttpTransport();
const world = { transport, clock, orgId: undefined, via: () => undefined };
const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
});
let server: FakeUpstream;
let answers: (request: ReceivedRequest) => UpstreamReply = () => ({ status: 599 });

before(async () => {
  server = await startFakeUpstream({ respond: (request) => answers(request) });
});
beforeEach(() => server.setFaults());
after(async () => {
  await transport.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

const file = (name: string, content: string | object) => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const inAnHour = () => new Date(clock.now() + 3_600_000).toISOString();
const lastRequest = () => server.requests.at(-1) ?? assert.fail('nobody asked');

/** The keys found with these settings and this environment; no file of this machine is looked at. */
function aws(settings: Partial<AwsCredentialSettings>, environment: Readonly<Record<string, string>> = {}) {
  const variables: Readonly<Record<string, string>> = {
    HOME: join(folder, 'nobody'),
    AWS_ENDPOINT_URL_STS: server.url,
    AWS_EC2_METADATA_SERVICE_ENDPOINT: server.url,
    ...environment,
  };
  const all = { service: 'bedrock', region: 'test-1', metadata: false, ...settings };
  return fetchAwsCredentials(
    resolveAwsCredentialSources(all, (name) => variables[name]),
    world,
  );
}

function role(name: string): UpstreamReply {
  const fields = `<AccessKeyId>id-${name}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${inAnHour()}</Expiration>`;
  return { headers: { 'content-type': 'text/xml' }, body: `<R><Credentials>${fields}</Credentials></R>` };
}

async function faultOf(promise: Promise<unknown>): Promise<Fault> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    return error;
  }
  return assert.fail('no fault');
}

describe('AWS keys', () => {
  const keys = { id: 'own', secret: 's' };
  const ENV = { AWS_ACCESS_KEY_ID: 'env', AWS_SECRET_ACCESS_KEY: 's', AWS_SESSION_TOKEN: 't' };
  const shared = file(
    'credentials',
    '# note\n[default]\naws_access_key_id = shared\naws_secret_access_key = s ; note\n[work]\naws_access_key_id=work\naws_secret_access_key=s\n',
  );
  const config = file(
    'config',
    '[profile lent]\nrole_arn = arn:lent\nsource_profile = work\nexternal_id = x-1\n[profile loop]\nrole_arn = arn:x\nsource_profile = pool\n[profile pool]\nrole_arn = arn:y\nsource_profile = loop\n',
  );
  const FILES = { AWS_SHARED_CREDENTIALS_FILE: shared, AWS_CONFIG_FILE: config };

  test('come from the first source in the chain that has keys', async () => {
    assert.equal((await aws({ keys }, { ...ENV, ...FILES })).keys.id, 'own');
    assert.equal((await aws({ profile: 'work' }, { ...ENV, ...FILES })).keys.id, 'work');
    assert.deepEqual((await aws({}, { ...ENV, ...FILES })).keys, { id: 'env', secret: 's', token: 't' });
    assert.equal((await aws({}, FILES)).keys.id, 'shared');
    assert.equal((await aws({}, { ...FILES, AWS_PROFILE: 'work' })).keys.id, 'work');
  });

  test('of a role are requested with signed keys, and expire', async () => {
    answers = () => role('assumed');
    const found = await aws({ keys, roleArn: 'arn:r', externalId: 'e-1' });
    assert.deepEqual(found, {
      keys: { id: 'id-assumed', secret: 's', token: 't' },
      expiresAt: clock.now() + 3_600_000,
    });
    const form = new URLSearchParams(lastRequest().body.toString('utf8'));
    assert.deepEqual(
      [form.get('Action'), form.get('RoleArn'), form.get('ExternalId')],
      ['AssumeRole', 'arn:r', 'e-1'],
    );
    assert.match(
      lastRequest().headers['authorization'] ?? '',
      /Credential=own\/\d+\/test-1\/sts\/aws4_request/,
    );
  });

  test('of a profile can come from another profile, but not in a cycle', async () => {
    answers = () => role('lent');
    assert.equal((await aws({ profile: 'lent' }, FILES)).keys.id, 'id-lent');
    const form = new URLSearchParams(lastRequest().body.toString('utf8'));
    assert.deepEqual([form.get('RoleArn'), form.get('ExternalId')], ['arn:lent', 'x-1']);
    assert.match(lastRequest().headers['authorization'] ?? '', /Credential=work\//);
    assert.equal((await faultOf(aws({ profile: 'loop' }, FILES))).code, 'upstream_auth_failed');
  });

  test('of a web identity are requested with its token, without a signature, and the token is read each time', async () => {
    answers = () => role('web');
    const AWS_WEB_IDENTITY_TOKEN_FILE = file('token', 'first\n');
    const environment = { AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN: 'arn:web' };
    assert.equal((await aws({}, environment)).keys.id, 'id-web');
    file('token', 'second');
    await aws({}, environment);
    const form = new URLSearchParams(lastRequest().body.toString('utf8'));
    assert.equal(form.get('WebIdentityToken'), 'second');
    assert.equal(lastRequest().headers['authorization'], undefined);
  });

  test('of a container and a machine come from their services, and the machine is asked only if configured', async () => {
    const given = { AccessKeyId: 'local', SecretAccessKey: 's', Token: 't', Expiration: inAnHour() };
    answers = ({ path, method }) => {
      if (method === 'PUT') return { body: 'session-1' };
      return path.endsWith('security-credentials/') ? { body: 'my-role\n' } : createJsonReply(given);
    };
    const AWS_CONTAINER_CREDENTIALS_FULL_URI = `${server.url}/container`;
    const token = { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file('auth', 'secret-1\n') };
    assert.equal((await aws({}, { AWS_CONTAINER_CREDENTIALS_FULL_URI, ...token })).keys.id, 'local');
    assert.equal(lastRequest().headers['authorization'], 'secret-1');
    const asked = server.requests.length;
    const refused = await faultOf(aws({}));
    assert.match(refused.message, /identity\.metadata: true/);
    assert.equal(server.requests.length, asked);
    assert.equal((await aws({ metadata: true })).keys.token, 't');
    assert.equal(lastRequest().path, '/latest/meta-data/iam/security-credentials/my-role');
    assert.equal(lastRequest().headers['x-aws-ec2-metadata-token'], 'session-1');
  });

  test("are requested again with the service's time if the clock is wrong", async () => {
    const ahead = new Date(clock.now() + 7_200_000).toUTCString();
    const dates: string[] = [];
    answers = ({ headers }) => {
      const date = headers['x-amz-date'] ?? '';
      dates.push(date);
      const reply =
        dates.length === 1 ? { status: 403, body: '<Code>SignatureDoesNotMatch</Code>' } : role('skewed');
      return { ...reply, headers: { 'content-type': 'text/xml', date: ahead } };
    };
    const found = await aws({ keys, roleArn: 'arn:r' });
    assert.equal(dates.length, 2);
    assert.equal(dates[1]?.slice(0, 11), new Date(ahead).toISOString().replace(/[-:]/g, '').slice(0, 11));
    assert.equal(found.expiresAt, clock.now() - 3_600_000, 'their time, told in ours');
  });

  test('that are rejected, cut off or late cause an error that names the source without secrets', async () => {
    answers = () => ({ status: 403, body: '<Error><Message>not allowed</Message></Error>' });
    assert.equal((await faultOf(aws({ keys, roleArn: 'arn:r' }))).code, 'upstream_auth_failed');
    answers = () => role('x');
    for (const name of ['unavailable', 'reset-before-headers', 'refuse-connection']) {
      await server.setFaults(findInjectedFault(name));
      const fault = await faultOf(aws({ keys, roleArn: 'arn:r' }));
      assert.equal(fault.code, 'upstream_unreachable', name);
      assert.ok(fault.message.includes(server.url));
    }
    await server.setFaults(findInjectedFault('accept-and-silence'));
    const before = server.requests.length;
    const waiting = faultOf(aws({ keys, roleArn: 'arn:r' }));
    while (server.requests.length === before) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(15_000);
    assert.match((await waiting).message, /no complete response within 15 s/);
  });
});

describe('Google tokens', () => {
  const google = (
    settings: { file?: string; metadata?: boolean },
    environment: Readonly<Record<string, string>> = {},
  ) =>
    fetchGoogleToken(
      resolveGoogleTokenSources(
        { metadata: false, ...settings },
        (name) => ({ HOME: folder, ...environment })[name],
      ),
      world,
    );
  const account = () =>
    file('account.json', {
      type: 'service_account',
      client_email: 'a@b.test',
      private_key: key,
      token_uri: `${server.url}/token`,
    });
  const given = (value: string) => createJsonReply({ access_token: value, expires_in: 3599 });

  test('come for a service account, a user, and from the metadata service if configured', async () => {
    answers = () => given('t-1');
    assert.deepEqual(await google({ file: account() }), { value: 't-1', expiresAt: clock.now() + 3_599_000 });
    const user = {
      type: 'authorized_user',
      client_id: 'c',
      client_secret: 's',
      refresh_token: 'r',
      token_uri: `${server.url}/t`,
    };
    await google({}, { GOOGLE_APPLICATION_CREDENTIALS: file('user.json', user) });
    assert.match(lastRequest().body.toString('utf8'), /grant_type=refresh_token&refresh_token=r/);
    const GCE_METADATA_HOST = new URL(server.url).host;
    assert.match((await faultOf(google({}, { GCE_METADATA_HOST }))).message, /identity\.metadata: true/);
    await google({ metadata: true }, { GCE_METADATA_HOST });
    assert.equal(lastRequest().headers['metadata-flavor'], 'Google');
  });

  test('come from workload identity federation, with or without impersonation of a service account', async () => {
    const source = {
      file: file('oidc.json', { id_token: 'subject-1' }),
      format: { type: 'json', subject_token_field_name: 'id_token' },
    };
    const external = {
      type: 'external_account',
      audience: '//iam/x',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${server.url}/sts`,
      credential_source: source,
    };
    answers = ({ path }) =>
      path === '/sts'
        ? given('federated')
        : createJsonReply({ accessToken: 'standing-in', expireTime: inAnHour() });
    assert.equal((await google({ file: file('ext.json', external) })).value, 'federated');
    const form = new URLSearchParams(lastRequest().body.toString('utf8'));
    assert.deepEqual([form.get('subject_token'), form.get('audience')], ['subject-1', '//iam/x']);
    const service_account_impersonation_url = `${server.url}/impersonate`;
    const token = await google({
      file: file('imp.json', { ...external, service_account_impersonation_url }),
    });
    assert.deepEqual(token, { value: 'standing-in', expiresAt: clock.now() + 3_600_000 });
    assert.equal(lastRequest().headers['authorization'], 'Bearer federated');
  });

  test("an assertion with the wrong time is created again with the service's time", async () => {
    let asked = 0;
    const date = new Date(clock.now() - 7_200_000).toUTCString();
    answers = () => {
      asked += 1;
      const reply = asked === 1 ? createJsonReply({ error: 'invalid_grant' }, 400) : given('t-2');
      return { ...reply, headers: { ...reply.headers, date } };
    };
    assert.equal((await google({ file: account() })).value, 't-2');
    const form = new URLSearchParams(lastRequest().body.toString('utf8'));
    const claims = JSON.parse(
      Buffer.from(form.get('assertion')?.split('.')[1] ?? '', 'base64url').toString('utf8'),
    );
    assert.equal(claims.iat, Date.parse(date) / 1000);
  });

  test('an unreadable or rejected source is named without its content', async () => {
    answers = () => createJsonReply({ error: 'invalid_grant' }, 400);
    for (const [settings, expected] of [
      [{ file: account() }, /returned no credential \(status 400\)/],
      [{ file: join(folder, 'absent.json') }, /cannot be read/],
      [{ file: file('half.json', '{"private_key": "very-secret') }, /is not a JSON object/],
      [{ file: file('odd.json', { type: 'gdch' }) }, /of type "gdch"/],
      [{ file: file('bare.json', { type: 'service_account' }) }, /must contain `private_key`/],
      [
        {
          file: file('bad.json', { type: 'service_account', client_email: 'a', private_key: 'very-secret' }),
        },
        /is not valid/,
      ],
    ] as const) {
      const fault = await faultOf(google(settings));
      assert.equal(fault.code, 'upstream_auth_failed');
      assert.match(fault.message, expected);
      assert.ok(!fault.message.includes('very-secret'));
    }
  });
});
