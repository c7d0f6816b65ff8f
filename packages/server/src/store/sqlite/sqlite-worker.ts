import { parentPort } from 'node:worker_threads';
import { applySqliteBeatsIfUnchanged } from './apply-beats.ts';
import { ingestSqliteSpoolRegion } from './ingest-region.ts';
import { EMPTY_SQLITE_WORKER_RESULT, SqliteConnection } from './sqlite-connection.ts';
import { getSqliteResultCode } from './sqlite-errors.ts';
import type {
  SqliteWorkerCall,
  SqliteWorkerReply,
  SqliteWorkerRequest,
  SqliteWorkerResult,
} from './worker-protocol.ts';

const port = parentPort;
if (!port) throw new Error('sqlite-worker.ts must run in a worker thread');

let connection: SqliteConnection | null = null;

function handleRequest(request: SqliteWorkerRequest): SqliteWorkerResult {
  if (request.kind === 'open') {
    connection = new SqliteConnection(request.path, request.role);
    return connection.ping();
  }
  if (!connection) throw new Error('The database is not open');
  switch (request.kind) {
    case 'query':
      return connection.query(request.sql, request.parameters);
    case 'ingest':
      return { ...EMPTY_SQLITE_WORKER_RESULT, ingested: ingestSqliteSpoolRegion(connection, request.region) };
    case 'beats':
      return { ...EMPTY_SQLITE_WORKER_RESULT, kept: applySqliteBeatsIfUnchanged(connection, request.beats) };
    case 'copy':
      return connection.copy(request.to);
    default:
      return connection[request.kind]();
  }
}

// Both ends of the port use worker-protocol.ts, so the message is a SqliteWorkerCall.
port.on('message', ({ id, request }: SqliteWorkerCall) => {
  let reply: SqliteWorkerReply;
  try {
    reply = { id, done: handleRequest(request) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    reply = { id, failure: { message, code: getSqliteResultCode(error) } };
  }
  port.postMessage(reply);
  if (request.kind === 'close') port.close();
});
