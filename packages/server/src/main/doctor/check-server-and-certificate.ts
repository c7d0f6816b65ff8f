import { isIP } from 'node:net';
import { connect, type PeerCertificate } from 'node:tls';
import { formatCountWithNoun } from '../../core/count-with-noun.ts';
import {
  createFailedFinding,
  createPassedFinding,
  createSkippedFinding,
  createWarningFinding,
  type DoctorFinding,
  formatThrownError,
} from './doctor-finding.ts';

const TIMEOUT_MS = 5_000;
const DAY_MS = 86_400_000;
/**
 * Remaining days for which a certificate causes a warning. Certificates are usually renewed a month before
 * they expire.
 */
const EXPIRY_WARNING_DAYS = 14;

/**
 * Checks whether the server is reachable.
 * @param url the URL of the process that uses this data directory; null if none is running
 */
export async function checkServer(url: string | null): Promise<DoctorFinding[]> {
  if (url === null) return [createSkippedFinding('server', 'no server is running with this data directory')];
  try {
    const [gateway, api] = await Promise.all([
      getStatus(`${url}/readyz`),
      getStatus(`${url}/readyz?for=api`),
    ]);
    if (gateway !== 200)
      return [
        createFailedFinding(
          'server',
          `${url}/readyz responds with status ${gateway}`,
          'Read the server log.',
        ),
      ];
    if (api !== 200)
      return [
        createWarningFinding(
          'server',
          `the server at ${url} serves the gateway, but not the API (status ${api})`,
          'Check the database, which the API requires.',
        ),
      ];
    return [createPassedFinding('server', `the server at ${url} is ready`)];
  } catch (error) {
    return [
      createFailedFinding(
        'server',
        `${url} cannot be reached: ${formatThrownError(error)}`,
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
export async function checkCertificate(baseUrl: string, nowMs: number): Promise<DoctorFinding> {
  const { protocol, hostname, port } = new URL(baseUrl);
  if (protocol !== 'https:')
    return createSkippedFinding('certificate', `server.base_url (${baseUrl}) does not use TLS`);
  try {
    const { certificate, problem } = await readCertificate(
      hostname.replace(/^\[|\]$/g, ''),
      Number(port || 443),
    );
    if (problem !== null)
      return createFailedFinding(
        'certificate',
        `clients will reject the certificate of ${hostname}: ${problem}`,
        'Install a certificate that is valid for this name, with its complete chain.',
      );
    const days = Math.floor((Date.parse(certificate.valid_to) - nowMs) / DAY_MS);
    const message = `the certificate of ${hostname} expires in ${formatCountWithNoun(days, 'day')}`;
    return days < EXPIRY_WARNING_DAYS
      ? createWarningFinding('certificate', message, 'Renew the certificate.')
      : createPassedFinding('certificate', message);
  } catch (error) {
    return createFailedFinding(
      'certificate',
      `could not open a TLS connection to ${hostname}: ${formatThrownError(error)}`,
      'Check server.base_url, DNS, and the proxy in front of Floe.',
    );
  }
}

interface ServedCertificate {
  readonly certificate: PeerCertificate;
  /** Why a client would reject the certificate; null if it would accept it. */
  readonly problem: string | null;
}

function readCertificate(host: string, port: number): Promise<ServedCertificate> {
  return new Promise((resolve, reject) => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = connect({ host, port, ...name, rejectUnauthorized: false, timeout: TIMEOUT_MS });
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerCertificate();
      const problem = socket.authorized ? null : formatThrownError(socket.authorizationError);
      socket.destroy();
      resolve({ certificate, problem });
    });
    socket.once('timeout', () => socket.destroy(new Error(`no response within ${TIMEOUT_MS / 1000} s`)));
    socket.once('error', reject);
  });
}
