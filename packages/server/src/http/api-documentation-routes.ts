import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import type { FastifyInstance } from 'fastify';
import { API_REFERENCE_CONTENT_SECURITY_POLICY } from './reference/reference-stylesheet.ts';

export const OPENAPI_PATH = '/api/openapi.json';
export const API_REFERENCE_PATH = '/api/reference';

const REFERENCE_HEADERS = {
  'content-security-policy': API_REFERENCE_CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/**
 * Adds the routes for the OpenAPI document and the reference page. Both are public, and each is built
 * when it is first requested.
 *
 * @param buildDocument builds the OpenAPI document
 */
export function addApiDocumentationRoutes(
  app: Pick<FastifyInstance, 'get'>,
  buildDocument: () => object,
): void {
  let document: string | undefined;
  let page: string | undefined;
  const documentText = () => {
    document ??= JSON.stringify(buildDocument());
    return document;
  };
  app.get(OPENAPI_PATH, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(documentText()),
  );
  app.get(API_REFERENCE_PATH, async (_request, reply) => {
    if (page === undefined) {
      const { renderApiReferencePage: referencePage } = await import('./reference/reference-page.ts');
      page = referencePage(parseDocument(documentText()));
    }
    return reply.type('text/html; charset=utf-8').headers(REFERENCE_HEADERS).send(page);
  });
}

function parseDocument(text: string): JsonObject {
  const value: Json = JSON.parse(text);
  if (!isJsonObject(value)) throw new Error('the OpenAPI document is not an object');
  return value;
}
