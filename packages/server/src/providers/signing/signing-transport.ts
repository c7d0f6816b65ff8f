import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import { FairLruMap } from '../../core/fair-lru-map.ts';
import type {
  FlowControl,
  UpstreamHeaders,
  UpstreamRequest,
  UpstreamResponseHandler,
  UpstreamTransport,
} from '../transport.ts';
import { AutoRenewingValue } from './auto-renewing-value.ts';
import type { AwsCredentials } from './aws-credential-sources.ts';
import { fetchAwsCredentials } from './aws-credentials.ts';
import { computeClockSkewMs, MIN_CLOCK_SKEW_MS } from './credential-service.ts';
import { fetchGoogleToken, type GoogleAccessToken } from './google-tokens.ts';
import type { SigningConfig } from './signing-config.ts';
import { addSigV4Headers } from './sigv4.ts';

/** The headers of a signed request, and the keys or token that were used. */
interface SignedHeaders {
  readonly headers: readonly string[];
  readonly signedWith: GoogleAccessToken | AwsCredentials;
}

/** Signs requests with one identity and caches its credentials. */
interface Signer {
  /** Returns the headers of a signed request; undefined if there is no valid credential yet. */
  sign(request: UpstreamRequest): SignedHeaders | undefined;
  fetchCredential(): Promise<unknown>;
  /** Handles a rejected signature. Returns true if another attempt would be signed differently. */
  shouldRetryAfter(status: number, headers: UpstreamHeaders, by: SignedHeaders['signedWith']): boolean;
}

/**
 * Maximum number of identities with cached credentials. An identity that a configuration no longer contains is removed
 * when the number is reached.
 */
const MAX_SIGNERS = 10_000;
/** Statuses with which a signature or token may be rejected. One provider uses 400. */
const REFUSAL_STATUSES = new Set([400, 401, 403]);
/** Matches error types in a header that mean that the keys have expired. */
const EXPIRED_KEY_ERRORS = /^(ExpiredToken|InvalidClientTokenId|UnrecognizedClient)/;
/** Matches error types in a header that mean that the signature has a wrong time. */
const CLOCK_SKEW_ERRORS = /^(InvalidSignature|SignatureDoesNotMatch|RequestExpired|RequestTimeTooSkewed)/;

/**
 * Creates a transport that signs requests whose provider has a signing configuration, and forwards all others
 * unchanged. A request waits only if no valid token is cached. If a request is rejected and a new token or a
 * corrected time can help, the transport repeats the request once. The caller does not see the first
 * rejection.
 */
export function createSigningTransport(
  inner: UpstreamTransport,
  clock: Clock,
  maxSigners = MAX_SIGNERS,
): UpstreamTransport {
  const signers = new FairLruMap<Signer>(maxSigners);

  /** Organizations do not share signers, because their requests for credentials may reach other addresses. */
  function signerFor(signing: SigningConfig, orgId: string | undefined): Signer {
    const known = signers.get(orgId ?? '', signing.key);
    if (known) return known;
    const world = { transport: inner, clock, orgId, via: signing.via };
    const { identity } = signing;
    const signer =
      identity.type === 'aws'
        ? awsSigner(identity, new AutoRenewingValue(clock, () => fetchAwsCredentials(identity, world)), clock)
        : googleSigner(new AutoRenewingValue(clock, () => fetchGoogleToken(identity, world)));
    signers.set(orgId ?? '', signing.key, signer);
    return signer;
  }

  return {
    dispatch(request, handler) {
      if (request.signing === undefined) return inner.dispatch(request, handler);
      const call = new SignedCall(inner, signerFor(request.signing, request.orgId), request, handler);
      call.start();
      return () => call.cancel();
    },
    close: () => inner.close(),
  };
}

function googleSigner(tokens: AutoRenewingValue<GoogleAccessToken>): Signer {
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
  credentials: AutoRenewingValue<AwsCredentials>,
  clock: Clock,
): Signer {
  let skewMs = 0;
  return {
    sign(request) {
      const by = credentials.current;
      return (
        by && { headers: addSigV4Headers(request, scope, by.keys, clock.now() + skewMs), signedWith: by }
      );
    },
    fetchCredential: () => credentials.renew(),
    shouldRetryAfter(_, headers, by) {
      const type = String(headers['x-amzn-errortype'] ?? '');
      if (EXPIRED_KEY_ERRORS.test(type)) return by.expiresAt !== null && credentials.invalidate(by);
      const skew = computeClockSkewMs(headers, clock.now());
      const isNews = Math.abs(skew - skewMs) > MIN_CLOCK_SKEW_MS && CLOCK_SKEW_ERRORS.test(type);
      if (isNews) skewMs = skew;
      return isNews;
    },
  };
}

/** A request that can be sent again with a new signature before its caller receives a response. */
class SignedCall implements UpstreamResponseHandler {
  readonly #inner: UpstreamTransport;
  readonly #signer: Signer;
  readonly #request: UpstreamRequest;
  readonly #handler: UpstreamResponseHandler;
  #cancel: (() => void) | undefined;
  #signedWith: SignedHeaders['signedWith'] | undefined;
  #isOver = false;
  #isRetry = false;
  /** Whether the rejected response is still being received. Its end must not end the call. */
  #isIgnoringResponse = false;

  constructor(
    inner: UpstreamTransport,
    signer: Signer,
    request: UpstreamRequest,
    handler: UpstreamResponseHandler,
  ) {
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
        else
          this.#fail(
            new Fault(
              'upstream_auth_failed',
              'The credential service issued a credential that had already expired. Check the clock of the machine that runs Floe.',
            ),
          );
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
    // After the rest of this read, which can contain the body of the rejected response.
    queueMicrotask(() => {
      if (!this.#isOver) this.start();
    });
  }

  /** Returns whether the request can be sent again. A streamed body cannot. */
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
