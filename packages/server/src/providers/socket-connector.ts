import { isIPv6, type Socket } from 'node:net';
import buildConnector from 'undici/lib/core/connect.js';
import { getHostWithoutBrackets } from '../core/network.ts';
import type { OutboundGuard } from '../core/outbound-guard.ts';
import type { OutboundConnectionOptions } from './outbound-connections.ts';

/** A function that opens a connection for a pool. */
export type SocketConnector = buildConnector.connector;

/** Maximum length of a proxy's response to `CONNECT`. */
const MAX_PROXY_HEAD_BYTES = 16 * 1024;

/**
 * Creates a connector for direct TCP or TLS connections, or for a `CONNECT` tunnel through the proxy in `via`
 * (RFC 9110, section 9.3.6). The guard checks every address that this process connects to. If a proxy
 * connects to the origin, the guard checks the origin without resolving its host name.
 */
export function createSocketConnector(
  origin: URL,
  via: OutboundConnectionOptions | undefined,
  connectMs: number,
  guard?: OutboundGuard,
): SocketConnector {
  const connect =
    guard?.connector ?? ((_: URL, options: buildConnector.BuildOptions) => buildConnector(options));
  const options = { allowH2: false, timeout: connectMs, ...(via?.ca && { ca: [...via.ca] }) };
  const certificate = via?.clientCert !== undefined && { cert: via.clientCert, key: via.clientKey };
  if (via?.proxy === undefined) return connect(origin, { ...options, ...certificate });
  // The client certificate is for the provider and not for the proxy. The proxy resolves the provider's name.
  const toProxy = connect(via.proxy, options);
  const tunnel = tunnelConnector(
    toProxy,
    buildConnector({ ...options, ...certificate }),
    via.proxy,
    connectMs,
  );
  return (asked, callback) => {
    const refusal = guard?.checkOrigin(origin) ?? null;
    if (refusal) callback(refusal, null);
    else tunnel(asked, callback);
  };
}

function tunnelConnector(
  toProxy: SocketConnector,
  secured: SocketConnector,
  proxy: URL,
  connectMs: number,
): SocketConnector {
  const asked = {
    hostname: getHostWithoutBrackets(proxy),
    host: proxy.host,
    protocol: proxy.protocol,
    port: proxy.port,
  };
  return (options, callback) => {
    const port = options.port || (options.protocol === 'https:' ? '443' : '80');
    toProxy(asked, (...[error, socket]) => {
      if (error) return callback(error, null);
      const host = isIPv6(options.hostname) ? `[${options.hostname}]` : options.hostname;
      requestTunnel(socket, connectRequest(`${host}:${port}`, proxy), connectMs, (refused) => {
        if (refused) return callback(refused, null);
        if (options.protocol === 'https:') secured({ ...options, port, httpSocket: socket }, callback);
        else callback(null, socket);
      });
    });
  };
}

/** Returns the `CONNECT` request for `target`, with the credentials in the proxy's URL. */
function connectRequest(target: string, { username, password }: URL): string {
  const credentials = Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64');
  const authorization = username === '' ? '' : `Proxy-Authorization: Basic ${credentials}\r\n`;
  return `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`;
}

/**
 * Thrown if a proxy rejects `CONNECT`. The message contains the status, which the fault
 * `upstream_unreachable` shows.
 */
class ProxyRefusedError extends Error {
  override readonly name = 'ProxyRefusedError';
  readonly code: string;

  constructor(what: string) {
    super(what);
    this.code = what;
  }
}

function requestTunnel(
  socket: Socket,
  request: string,
  timeoutMs: number,
  done: (refused: Error | null) => void,
): void {
  let head = Buffer.alloc(0);
  const finish = (refused: Error | null) => {
    clearTimeout(timer);
    socket.off('data', onData).off('error', onError).off('close', onClose);
    if (refused) socket.destroy();
    done(refused);
  };
  const onError = (error: Error) => finish(error);
  const onClose = () =>
    finish(new ProxyRefusedError('the proxy closed the connection without a response to CONNECT'));
  const onData = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) {
      if (head.length > MAX_PROXY_HEAD_BYTES)
        finish(new ProxyRefusedError("the proxy's response to CONNECT is too large"));
      return;
    }
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1', 0, 16))?.[1] ?? 'invalid HTTP';
    if (status !== '200')
      return finish(new ProxyRefusedError(`the proxy responded to CONNECT with ${status}`));
    socket.pause();
    if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
    finish(null);
  };
  const timer = setTimeout(
    () => finish(new ProxyRefusedError('the proxy did not respond to CONNECT in time')),
    timeoutMs,
  );
  timer.unref();
  socket.on('data', onData).on('error', onError).on('close', onClose);
  socket.write(request);
}
