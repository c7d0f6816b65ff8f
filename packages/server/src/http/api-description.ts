import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import type { FastifyInstance } from 'fastify';
import { REFERENCE_POLICY } from './reference/style.ts';

export const OPENAPI_PATH = '/api/openapi.json';
export const REFERENCE_PATH = '/api/reference';

const HEADERS = {
  'content-security-policy': REFERENCE_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/**
 * What the API says about itself, for programs and for people; nobody needs a key to read it, and each is made when it
 * is first asked for.
 *
 * @param make the OpenAPI document
 */
export function addDescription(app: Pick<FastifyInstance, 'get'>, make: () => object): void {
  let document: string | undefined;
  let page: string | undefined;
  const documentText = () => {
    document ??= JSON.stringify(make());
    return document;
  };
  app.get(OPENAPI_PATH, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(documentText()),
  );
  app.get(REFERENCE_PATH, async (_request, reply) => {
    if (page === undefined) {
      const { referencePage } = await import('./reference/page.ts');
      page = referencePage(parsed(documentText()));
    }
    return reply.type('text/html; charset=utf-8').headers(HEADERS).send(page);
  });
}

function parsed(text: string): JsonObject {
  const value: Json = JSON.parse(text);
  if (!isObject(value)) throw new Error('the OpenAPI document is no object');
  return value;
}
