import type { FloeConfig } from '@floe/contract/config';
import type { OutboundGuard } from '../core/outbound-guard.ts';
import type { ResolvedOutboundConnections } from '../providers/outbound-connections.ts';
import type { OutgoingMail } from './channels/channel-definition.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const REPLY_TIMEOUT_MS = 10_000;

/** The mail settings from floe.yaml. */
export interface SmtpSettings {
  /** `smtp://` or `smtps://` URL with user and password. Empty if mail is not configured. */
  readonly url: string;
  readonly from: string;
  /** Whether to reject a server at `smtp://` that does not offer STARTTLS. */
  readonly requireTls: boolean;
}

/** Converts the `smtp` section of floe.yaml to mail settings. */
export function toSmtpSettings({ url, from, require_tls }: FloeConfig['smtp']): SmtpSettings {
  return { url, from, requireTls: require_tls };
}

/**
 * Thrown if `smtp.url` is missing or invalid, or if the mail server rejects the sign-in or the mail.
 * `permanent` means that a retry cannot succeed.
 */
export class MailDeliveryError extends Error {
  override readonly name = 'MailDeliveryError';
  readonly status: number | null;
  readonly permanent: boolean;

  constructor(message: string, status: number | null, permanent: boolean, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.permanent = permanent;
  }
}

/** Sends mail through the configured mail server. */
export interface Mailer {
  /**
   * Resolves when the server has accepted the mail for at least one recipient. Returns the recipients that the server
   * rejected.
   * @throws MailDeliveryError
   */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<readonly string[]>;
}

/**
 * Creates a mailer that opens one connection per mail, through the guard. Loads the mail library for the
 * first mail. Of the options in `via`, uses only the certificate authorities, because HTTP proxies cannot
 * send mail.
 */
export function createMailer(
  settings: () => SmtpSettings,
  guard: OutboundGuard,
  via: ResolvedOutboundConnections['via'],
): Mailer {
  return {
    async send(mail, signal) {
      const current = settings();
      const { from } = current;
      const { transport, socket } = await openMailTransport(current, guard, via);
      const late = () => socket.destroy();
      signal.addEventListener('abort', late, { once: true });
      try {
        const domain = /@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? 'floe.invalid';
        const messageId = (id: string) => `<${id}@${domain}>`;
        const { rejected } = await transport.sendMail({
          from,
          to: [...mail.to],
          subject: mail.subject,
          text: mail.text,
          messageId: messageId(mail.messageId),
          ...(mail.inReplyTo !== null && {
            inReplyTo: messageId(mail.inReplyTo),
            references: messageId(mail.inReplyTo),
          }),
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
        return rejected;
      } catch (error) {
        throw toMailRejectedError(error);
      } finally {
        signal.removeEventListener('abort', late);
        transport.close();
        socket.destroy();
      }
    },
  };
}

/**
 * Returns the user and password in the URL.
 * @throws MailDeliveryError
 */
function smtpCredentials({ username, password }: URL) {
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch (cause) {
    const message = 'smtp.url: a % in the user name or password must be written as %25';
    throw new MailDeliveryError(message, null, true, { cause });
  }
}

/**
 * Connects through the guard.
 * @throws MailDeliveryError if mail is not configured
 */
async function openMailTransport(
  { url, requireTls }: SmtpSettings,
  guard: OutboundGuard,
  via: ResolvedOutboundConnections['via'],
) {
  if (url === '')
    throw new MailDeliveryError('email cannot be sent because smtp.url is not set in floe.yaml', null, true);
  const { createTransport } = await import('nodemailer');
  const server = new URL(url);
  const secure = server.protocol === 'smtps:';
  const host = server.hostname.replace(/^\[|\]$/g, '');
  const port = Number(server.port || (secure ? 465 : 587));
  const auth = server.username === '' ? null : smtpCredentials(server);
  const socket = await guard.connect(host, port, CONNECT_TIMEOUT_MS);
  const transport = createTransport({
    host,
    port,
    secure,
    requireTLS: requireTls && !secure,
    connection: socket,
    ...certificateAuthorities(via, host, port),
    ...(auth && { auth }),
    greetingTimeout: REPLY_TIMEOUT_MS,
    socketTimeout: REPLY_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return { transport, socket };
}

/**
 * Connects to the mail server and signs in, but sends no mail.
 * @throws MailDeliveryError
 */
export async function verifyMailServer(
  settings: SmtpSettings,
  guard: OutboundGuard,
  via: ResolvedOutboundConnections['via'],
): Promise<void> {
  const { transport, socket } = await openMailTransport(settings, guard, via);
  try {
    await transport.verify();
  } catch (error) {
    throw toMailRejectedError(error);
  } finally {
    transport.close();
    socket.destroy();
  }
}

function certificateAuthorities(via: ResolvedOutboundConnections['via'], host: string, port: number) {
  const ca = via(`https://${host.includes(':') ? `[${host}]` : host}:${port}`)?.ca;
  return ca && { tls: { ca: [...ca] } };
}

function toMailRejectedError(error: unknown): MailDeliveryError {
  const status =
    error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
      ? error.responseCode
      : null;
  const reason = error instanceof Error ? error.message : String(error);
  return new MailDeliveryError(
    `mail server error: ${reason}`.slice(0, 500),
    status,
    status !== null && status >= 500,
    { cause: error },
  );
}
