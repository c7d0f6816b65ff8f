// Whatever can be asked without authenticating, large bodies are refused by their head: nothing of them is waited for or kept.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { listFuzzOperations } from '../../test/fuzz/operations.ts';
import { startTestSignIn, type TestSignIn } from './sign-in/test/test-sign-in.ts';

let harness: TestSignIn;
before(async () => {
  harness = await startTestSignIn();
});
after(() => harness.close());

/** The status line of the answer to a request of which only the head and a byte of its body are sent. */
function statusOf(method: string, path: string, more: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(harness.api.port, '127.0.0.1', () =>
      socket.write(
        `${method} ${path} HTTP/1.1\r\nhost: x\r\nsec-fetch-site: same-origin\r\ncontent-type: application/json\r\n${more}`,
      ),
    );
    socket.once('data', (bytes) => {
      resolve(bytes.toString('latin1').split('\r\n', 1)[0] ?? '');
      socket.destroy();
    });
    socket.once('error', reject).once('close', () => reject(new Error(`no answer to ${method} ${path}`)));
  });
}

test('no operation reads more than 16 KB from an unauthenticated caller', async () => {
  const { body } = await harness.api.call('GET', '/api/openapi.json');
  const operations = listFuzzOperations(JSON.parse(JSON.stringify(body))).filter(
    ({ method }) => method !== 'GET',
  );
  assert.ok(operations.length > 60);
  const chunk = `${(20_000).toString(16)}\r\n${' '.repeat(20_000)}\r\n`;
  for (const { method, path } of operations) {
    const at = path.replaceAll(/\{\w+\}/g, 'none');
    for (const rest of [`content-length: 980000\r\n\r\n{`, `transfer-encoding: chunked\r\n\r\n${chunk}`])
      assert.match(await statusOf(method, at, rest), /^HTTP\/1.1 (?:401|403|404|413) /, `${method} ${at}`);
  }
});
