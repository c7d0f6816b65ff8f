import { isIP } from 'node:net';
import { connect, type PeerCertificate } from 'node:tls';
import { type Finding, fail, pass, reasonOf, skip, warn } from './finding.ts';

const TIMEOUT_MS = 5_000;
const DAY_MS = 86_400_000;
/** Certificates are usually renewed a month before they expire. */
const EXPIRY_WARNING_DAYS = 14;

/**
 * Checks whether the server is reachable.
 * @param url the URL of the process that uses this data directory; null if none is running
 */
export async function checkServer(url: string | null): Promise<Finding[]> {
  if (url === null) return [skip('server', 'no server is running with this data directory')];
  try {
    const [gateway, api] = await Promise.all([
      getStatus(`${url}/readyz`),
      getStatus(`${url}/readyz?for=api`),
    ]);
    if (gateway !== 200)
      return [fail('server', `${url}/readyz answers with ${gateway}`, 'Read the log of the server.')];
    if (api !== 200)
      return [
        warn(
          'server',
          `the server at ${url} serves the gateway, but not the API (${api})`,
          'Check the database: the API needs it.',
        ),
      ];
    return [pass('server', `the server at ${url} is ready`)];
  } catch (error) {
    return [
      fail(
        'server',
        `${url} cannot be reached: ${reasonOf(error)}`,
        'Check server.base_url, the proxy in front of Floe, and DNS.',
      ),
    ];
  }
}

async function getStatus(url: string): Promise<number> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' });
  await response.body?.cancel();
  return response.status;
}

/** Connects to the public URL's host and checks its certificate. */
export async function checkCertificate(baseUrl: string, nowMs: number): Promise<Finding> {
  const { protocol, hostname, port } = new URL(baseUrl);
  if (protocol !== 'https:') return skip('certificate', `server.base_url is ${baseUrl}: no TLS`);
  try {
    const { certificate, problem } = await readCertificate(
      hostname.replace(/^\[|\]$/g, ''),
      Number(port || 443),
    );
    if (problem !== null)
      return fail(
        'certificate',
        `clients will reject the certificate of ${hostname}: ${problem}`,
        'Install a certificate for this name with its complete chain.',
      );
    const days = Math.floor((Date.parse(certificate.valid_to) - nowMs) / DAY_MS);
    const message = `the certificate of ${hostname} expires in ${days} days`;
    return days < EXPIRY_WARNING_DAYS
      ? warn('certificate', message, 'Renew the certificate.')
      : pass('certificate', message);
  } catch (error) {
    return fail(
      'certificate',
      `no TLS connection to ${hostname}: ${reasonOf(error)}`,
      'Check server.base_url, DNS, and the proxy in front of Floe.',
    );
  }
}

interface ServedCertificate {
  readonly certificate: PeerCertificate;
  /** Why a client would reject it; null if it would not. */
  readonly problem: string | null;
}

function readCertificate(host: string, port: number): Promise<ServedCertificate> {
  return new Promise((resolve, reject) => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = connect({ host, port, ...name, rejectUnauthorized: false, timeout: TIMEOUT_MS });
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerCertificate();
      const problem = socket.authorized ? null : reasonOf(socket.authorizationError);
      socket.destroy();
      resolve({ certificate, problem });
    });
    socket.once('timeout', () => socket.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
    socket.once('error', reject);
  });
}
