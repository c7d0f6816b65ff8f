import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { ClientCall, type ClientTransport, type RequestHeaders } from '../client-call.ts';

/** The request that a client sends. */
export interface SentBody {
  readonly headers?: RequestHeaders;
  readonly incoming?: Readable;
  /** The complete body of a buffered request. */
  readonly body?: Buffer;
}

/** Creates a client that sends a request body and receives no response. */
export function createBodyClient({ headers = {}, incoming = Readable.from([]), body }: SentBody): ClientCall {
  const fail = () => assert.fail('the test sends no response');
  const transport: ClientTransport = {
    connection: {},
    method: 'POST',
    target: '/',
    headers,
    rawHeaders: [],
    incoming,
    headersSent: false,
    watch: () => undefined,
    setHeader: fail,
    markAuthenticated: fail,
    readBody: body === undefined ? fail : () => Promise.resolve(body),
    sendAnswer: fail,
    startAnswer: fail,
    write: fail,
    onDrain: fail,
    end: fail,
    abort: fail,
  };
  return new ClientCall('req_1', transport);
}
