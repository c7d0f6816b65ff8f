import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import type {
  FlowControl,
  Transport,
  UpstreamHandler,
  UpstreamHeaders,
  UpstreamRequest,
} from '../transport.ts';
import { AutoRenewed } from './auto-renewed.ts';
import { fetchAwsCredentials } from './aws-credentials.ts';
import type { AwsCredentials } from './aws-identity.ts';
import { computeClockSkew, MIN_CLOCK_SKEW_MS } from './credential-service.ts';
import { type AccessToken, fetchGoogleToken } from './google-tokens.ts';
import type { SigningConfig } from './signing-config.ts';
import { signHeaders } from './sigv4.ts';

/** A signed request's headers, and what they were signed with. */
interface SignedHeaders {
  readonly headers: readonly string[];
  readonly signedWith: AccessToken | AwsCredentials;
}

/** What one identity has been given, and how it turns a request into one that is believed. */
interface Signer {
  /** Undefined while there is nothing to sign with. */
  sign(request: UpstreamRequest): SignedHeaders | undefined;
  fetchCredential(): Promise<unknown>;
  /** An answer that refused the signature: true when another try would be signed otherwise. */
  shouldRetryAfter(status: number, headers: UpstreamHeaders, by: SignedHeaders['signedWith']): boolean;
}

/** Statuses with which a signature or token is refused; 400 is how one host says it. */
const REFUSAL_STATUSES = new Set([400, 401, 403]);
/** Refusals of keys whose time is over, by the error type of their header. */
const EXPIRED_KEY_ERRORS = /^(ExpiredToken|InvalidClientTokenId|UnrecognizedClient)/;
/** Refusals of a signature whose date is off. */
const CLOCK_SKEW_ERRORS = /^(InvalidSignature|SignatureDoesNotMatch|RequestExpired|RequestTimeTooSkewed)/;

/**
 * Signs requests that say who signs them, and passes all others on untouched. With a valid token a request waits
 * for nothing; a refusal that a fresh token or the right time would mend is mended once, unseen.
 */
export function createSigningTransport(inner: Transport, clock: Clock): Transport {
  const signers = new Map<string, Signer>();

  function signerFor(signing: SigningConfig): Signer {
    const known = signers.get(signing.key);
    if (known) return known;
    const world = { transport: inner, clock, via: signing.via };
    const { identity } = signing;
    const signer =
      identity.type === 'aws'
        ? awsSigner(identity, new AutoRenewed(clock, () => fetchAwsCredentials(identity, world)), clock)
        : googleSigner(new AutoRenewed(clock, () => fetchGoogleToken(identity, world)));
    signers.set(signing.key, signer);
    return signer;
  }

  return {
    dispatch(request, handler) {
      if (request.signing === undefined) return inner.dispatch(request, handler);
      const call = new SignedCall(inner, signerFor(request.signing), request, handler);
      call.start();
      return () => call.cancel();
    },
    close: () => inner.close(),
  };
}

function googleSigner(tokens: AutoRenewed<AccessToken>): Signer {
  return {
    sign(request) {
      const by = tokens.current;
      return by && { headers: [...request.headers, 'authorization', `Bearer ${by.value}`], signedWith: by };
    },
    fetchCredential: () => tokens.renew(),
    shouldRetryAfter: (status, _, by) => status === 401 && tokens.invalidate(by),
  };
}

function awsSigner(
  scope: { readonly region: string; readonly service: string },
  credentials: AutoRenewed<AwsCredentials>,
  clock: Clock,
): Signer {
  let skewMs = 0;
  return {
    sign(request) {
      const by = credentials.current;
      return by && { headers: signHeaders(request, scope, by.keys, clock.now() + skewMs), signedWith: by };
    },
    fetchCredential: () => credentials.renew(),
    shouldRetryAfter(_, headers, by) {
      const type = String(headers['x-amzn-errortype'] ?? '');
      if (EXPIRED_KEY_ERRORS.test(type)) return by.expiresAt !== null && credentials.invalidate(by);
      const skew = computeClockSkew(headers, clock.now());
      const isNews = Math.abs(skew - skewMs) > MIN_CLOCK_SKEW_MS && CLOCK_SKEW_ERRORS.test(type);
      if (isNews) skewMs = skew;
      return isNews;
    },
  };
}

/** One request, which may be sent a second time with a better signature before its caller hears of it. */
class SignedCall implements UpstreamHandler {
  readonly #inner: Transport;
  readonly #signer: Signer;
  readonly #request: UpstreamRequest;
  readonly #handler: UpstreamHandler;
  #cancel: (() => void) | undefined;
  #signedWith: SignedHeaders['signedWith'] | undefined;
  #isOver = false;
  #isRetry = false;
  /** The refused answer still under way, whose end must not be taken for ours. */
  #isIgnoringResponse = false;

  constructor(inner: Transport, signer: Signer, request: UpstreamRequest, handler: UpstreamHandler) {
    this.#inner = inner;
    this.#signer = signer;
    this.#request = request;
    this.#handler = handler;
  }

  start(): void {
    const signed = this.#signer.sign(this.#request);
    if (signed) this.#send(signed);
    else this.#fetchAndSend();
  }

  cancel(): void {
    this.#isOver = true;
    this.#cancel?.();
  }

  #fetchAndSend(): void {
    this.#signer.fetchCredential().then(
      () => {
        if (this.#isOver) return;
        const signed = this.#signer.sign(this.#request);
        if (signed) this.#send(signed);
        else this.#fail(new Fault('upstream_auth_failed', 'The credential was given out already expired.'));
      },
      (error: unknown) => this.#fail(error instanceof Error ? error : new Error(String(error))),
    );
  }

  #send(signed: SignedHeaders): void {
    this.#isIgnoringResponse = false;
    this.#signedWith = signed.signedWith;
    this.#cancel = this.#inner.dispatch({ ...this.#request, headers: signed.headers }, this);
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#handler.onError(error);
  }

  onConnected(): void {
    this.#handler.onConnected();
  }

  onHead(status: number, headers: UpstreamHeaders, flow: FlowControl): void {
    const refused =
      REFUSAL_STATUSES.has(status) &&
      this.#signedWith &&
      this.#signer.shouldRetryAfter(status, headers, this.#signedWith);
    if (!refused || !this.#canRepeat()) return this.#handler.onHead(status, headers, flow);
    this.#isRetry = true;
    this.#isIgnoringResponse = true;
    this.#cancel?.();
    this.start();
  }

  /** A body that was sent as it came is gone. */
  #canRepeat(): boolean {
    const { body } = this.#request;
    return !this.#isRetry && (body === null || Buffer.isBuffer(body));
  }

  onData(chunk: Buffer): void {
    if (!this.#isIgnoringResponse) this.#handler.onData(chunk);
  }

  onEnd(): void {
    if (!this.#isIgnoringResponse) this.#handler.onEnd();
  }

  onError(error: Error): void {
    if (!this.#isIgnoringResponse) this.#fail(error);
  }
}
