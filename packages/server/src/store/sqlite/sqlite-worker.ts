import { parentPort } from 'node:worker_threads';
import { Connection, NOTHING } from './connection.ts';
import { sqliteCode } from './errors.ts';
import { ingest } from './ingest.ts';
import { keepBeats } from './keep-beats.ts';
import type { Call, Done, Reply, Request } from './protocol.ts';

const port = parentPort;
if (!port) throw new Error('sqlite-worker.ts runs in a worker thread');

let connection: Connection | null = null;

function answer(request: Request): Done {
  if (request.kind === 'open') {
    connection = new Connection(request.path, request.role);
    return connection.ping();
  }
  if (!connection) throw new Error('The database is not open');
  switch (request.kind) {
    case 'query':
      return connection.query(request.sql, request.parameters);
    case 'ingest':
      return { ...NOTHING, ingested: ingest(connection, request.region) };
    case 'beats':
      return { ...NOTHING, kept: keepBeats(connection, request.beats) };
    case 'copy':
      return connection.copy(request.to);
    default:
      return connection[request.kind]();
  }
}

// Both ends of the port are compiled from protocol.ts, so what arrives is a Call.
port.on('message', ({ id, request }: Call) => {
  let reply: Reply;
  try {
    reply = { id, done: answer(request) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    reply = { id, failure: { message, code: sqliteCode(error) } };
  }
  port.postMessage(reply);
  if (request.kind === 'close') port.close();
});
