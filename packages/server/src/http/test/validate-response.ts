import type { IncomingHttpHeaders } from 'node:http';
import { apiErrorBody } from '@floe/contract/api/errors';
import type { Operation } from '../../management/operation.ts';
import type { ApiTestResponse } from './running-api.ts';

export function isJsonContent(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.startsWith('application/json') === true;
}

/** Validates a response with the schema of its operation and returns it. */
export async function requireValidResponse(
  all: readonly Operation[],
  method: string,
  path: string,
  asked: Promise<ApiTestResponse>,
) {
  const answer = await asked;
  requireSchemaMatch(all, method, path, answer);
  return answer;
}

/** The server does not filter responses through their schemas, so every test validates them. */
function requireSchemaMatch(
  all: readonly Operation[],
  method: string,
  path: string,
  answer: ApiTestResponse,
): void {
  if (answer.text === '' || !isJsonContent(answer.headers)) return;
  if (answer.status >= 400) apiErrorBody.parse(answer.body);
  const segments = path.split('?', 1)[0]?.split('/') ?? [];
  const operation = all.find((candidate) => {
    const wanted = candidate.path.split('/');
    return (
      candidate.method === method &&
      wanted.length === segments.length &&
      wanted.every((segment, index) => segment.startsWith('{') || segment === segments[index])
    );
  });
  if (operation && answer.status < 400) operation.answer.parse(answer.body);
}
