import type { Server } from 'node:http';

/**
 * Thrown if the server cannot listen on an address. The message states the reason and what to do.
 */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/**
 * Starts listening and resolves with the actual port. Rejects with a `ListenError` whose message
 * names `setting` as the setting to change.
 */
export function listenOnPort(server: Server, host: string, port: number, setting: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: Error & { code?: string }) =>
      reject(toListenError(error, host, port, setting)),
    );
    server.listen({ host, port, backlog: 4096 }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function toListenError(
  error: Error & { code?: string },
  host: string,
  port: number,
  setting: string,
): ListenError {
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const portName = setting === 'server' ? 'FLOE_PORT or server.port' : `${setting}.port`;
  const hostName = setting === 'server' ? 'FLOE_HOST or server.host' : `${setting}.host`;
  if (error.code === 'EADDRINUSE')
    return new ListenError(
      `${place} is in use by another program. Stop that program, or choose another port with ${portName}.`,
    );
  if (error.code === 'EACCES')
    return new ListenError(
      `The user that runs Floe is not permitted to listen on ${place}. Choose a port above 1023 with ${portName}.`,
    );
  if (error.code === 'EAFNOSUPPORT')
    return new ListenError(`This machine does not support IPv6. Change ${hostName} from ${host} to 0.0.0.0.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN')
    return new ListenError(`${host} is not an address of this machine. Change ${hostName}.`);
  return new ListenError(`Cannot listen on ${place}: ${error.message}`);
}
