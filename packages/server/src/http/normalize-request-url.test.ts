import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { normalizeRequestUrl } from './normalize-request-url.ts';

const PREFIX = '/tools/floe';

/** The URL that the next handler sees. */
function normalize(url: string, prefix = ''): string | undefined {
  let seen: string | undefined;
  const handler = normalizeRequestUrl(prefix, {
    onRequest: (req) => {
      seen = req.url;
    },
    findExchangeRoute: () => undefined,
  });
  const req = new IncomingMessage(new Socket());
  req.url = url;
  handler.onRequest(req, new ServerResponse(req), 'exc_1');
  return seen;
}

test('repeated slashes in the path of a gateway request are merged, and the query stays the same', () => {
  for (const [sent, seen] of [
    ['/gateway/v1//chat/completions', '/gateway/v1/chat/completions'],
    ['//gateway/v1/chat/completions', '/gateway/v1/chat/completions'],
    ['/gateway///v1////messages//?a=//b&c=http://d', '/gateway/v1/messages/?a=//b&c=http://d'],
    ['/gateway/passthrough-a//v1/files//file-1', '/gateway/passthrough-a/v1/files/file-1'],
    ['/gateway/v1/models?next=//x', '/gateway/v1/models?next=//x'],
    ['/gateway/v1//models/a%2F%2Fb', '/gateway/v1/models/a%2F%2Fb'],
    ['/gateway//..//api/me', '/gateway/../api/me'],
    ['http://floe.example//gateway//v1/models?a=//', '/gateway/v1/models?a=//'],
  ] as const)
    for (const prefix of ['', PREFIX]) assert.equal(normalize(sent, prefix), seen, sent);
});

test('a gateway path below the path of the base URL is merged, wherever the slashes are', () => {
  for (const sent of ['/tools/floe//gateway/v1//models', '//tools//floe/gateway//v1/models'])
    assert.equal(normalize(sent, PREFIX), '/gateway/v1/models', sent);
  assert.equal(normalize('/tools//other/gateway/v1/models', PREFIX), '/tools//other/gateway/v1/models');
});

test('repeated slashes in other paths are kept, so that they name no other endpoint', () => {
  for (const sent of ['//metrics', '//api/me', '/api//me', '/beat//x', '//floe.example/x', '/?x=//gateway/'])
    for (const prefix of ['', PREFIX]) assert.equal(normalize(sent, prefix), sent, sent);
});
