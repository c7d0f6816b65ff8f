import { parentPort } from 'node:worker_threads';
import { applyBeatsIfUnchanged } from './apply-beats.ts';
import { ingestRegion } from './ingest-region.ts';
import { EMPTY_RESULT, SqliteConnection } from './sqlite-connection.ts';
import { sqliteResultCode } from './sqlite-errors.ts';
import type { WorkerCall, WorkerReply, WorkerRequest, WorkerResult } from './worker-protocol.ts';

const port = parentPort;
if (!port) throw new Error('sqlite-worker.ts must run in a worker thread');

let connection: SqliteConnection | null = null;

function handleRequest(request: WorkerRequest): WorkerResult {
  if (request.kind === 'open') {
    connection = new SqliteConnection(request.path, request.role);
    return connection.ping();
  }
  if (!connection) throw new Error('The database is not open');
  switch (request.kind) {
    case 'query':
      return connection.query(request.sql, request.parameters);
    case 'ingest':
      return { ...EMPTY_RESULT, ingested: ingestRegion(connection, request.region) };
    case 'beats':
      return { ...EMPTY_RESULT, kept: applyBeatsIfUnchanged(connection, request.beats) };
    case 'copy':
      return connection.copy(request.to);
    default:
      return connection[request.kind]();
  }
}

// Both ends of the port use worker-protocol.ts, so the message is a WorkerCall.
port.on('message', ({ id, request }: WorkerCall) => {
  let reply: WorkerReply;
  try {
    reply = { id, done: handleRequest(request) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    reply = { id, failure: { message, code: sqliteResultCode(error) } };
  }
  port.postMessage(reply);
  if (request.kind === 'close') port.close();
});
