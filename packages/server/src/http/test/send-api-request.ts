import { request } from 'node:http';
import type { ApiTestCall, ApiTestResponse } from './running-api.ts';
import { isJsonContent } from './validate-response.ts';

/** Sends one request to the API on a loopback port. */
export function sendApiRequest(
  port: number,
  method: string,
  path: string,
  { key, headers, body, raw }: ApiTestCall,
): Promise<ApiTestResponse> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(payload !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(payload),
          }),
          ...headers,
        },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text,
            body: text !== '' && isJsonContent(incoming.headers) ? JSON.parse(text) : undefined,
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}
