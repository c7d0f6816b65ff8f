import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import type { Flow, Transport, UpstreamHandler, UpstreamHeaders, UpstreamRequest } from '../transport.ts';
import { fetchAwsCredentials } from './aws-credentials.ts';
import type { AwsCredentials } from './aws-identity.ts';
import { SKEW_MS, skewOf } from './credential-service.ts';
import { type AccessToken, fetchGoogleToken } from './google-tokens.ts';
import { Renewed } from './renewed.ts';
import type { Signing } from './signing.ts';
import { signedHeaders } from './sigv4.ts';

/** A signed request's headers, and what they were signed with. */
interface Signed {
  readonly headers: readonly string[];
  readonly by: AccessToken | AwsCredentials;
}

/** What one identity has been given, and how it turns a request into one that is believed. */
interface Signer {
  /** Undefined while there is nothing to sign with. */
  sign(request: UpstreamRequest): Signed | undefined;
  fetch(): Promise<unknown>;
  /** An answer that refused the signature: true when another try would be signed otherwise. */
  refused(status: number, headers: UpstreamHeaders, by: Signed['by']): boolean;
}

/** Statuses with which a signature or token is refused; 400 is how one host says it. */
const REFUSALS = new Set([400, 401, 403]);
/** Refusals of keys whose time is over, by the error type of their header. */
const SPENT_KEYS = /^(ExpiredToken|InvalidClientTokenId|UnrecognizedClient)/;
/** Refusals of a signature whose date is off. */
const CLOCK_FAULTS = /^(InvalidSignature|SignatureDoesNotMatch|RequestExpired|RequestTimeTooSkewed)/;

/**
 * Signs requests that say who signs them, and passes all others on untouched. With a valid token a request waits
 * for nothing; a refusal that a fresh token or the right time would mend is mended once, unseen.
 */
export function createSigningTransport(inner: Transport, clock: Clock): Transport {
  const signers = new Map<string, Signer>();

  function signerFor(signing: Signing): Signer {
    const known = signers.get(signing.key);
    if (known) return known;
    const world = { transport: inner, clock, via: signing.via };
    const { identity } = signing;
    const signer =
      identity.type === 'aws'
        ? awsSigner(identity, new Renewed(clock, () => fetchAwsCredentials(identity, world)), clock)
        : googleSigner(new Renewed(clock, () => fetchGoogleToken(identity, world)));
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

function googleSigner(tokens: Renewed<AccessToken>): Signer {
  return {
    sign(request) {
      const by = tokens.current;
      return by && { headers: [...request.headers, 'authorization', `Bearer ${by.value}`], by };
    },
    fetch: () => tokens.renew(),
    refused: (status, _, by) => status === 401 && tokens.forget(by),
  };
}

function awsSigner(
  scope: { readonly region: string; readonly service: string },
  credentials: Renewed<AwsCredentials>,
  clock: Clock,
): Signer {
  let skewMs = 0;
  return {
    sign(request) {
      const by = credentials.current;
      return by && { headers: signedHeaders(request, scope, by.keys, clock.now() + skewMs), by };
    },
    fetch: () => credentials.renew(),
    refused(_, headers, by) {
      const type = String(headers['x-amzn-errortype'] ?? '');
      if (SPENT_KEYS.test(type)) return by.expiresAt !== null && credentials.forget(by);
      const skew = skewOf(headers, clock.now());
      const isNews = Math.abs(skew - skewMs) > SKEW_MS && CLOCK_FAULTS.test(type);
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
  #by: Signed['by'] | undefined;
  #isOver = false;
  #isSecond = false;
  /** The refused answer still under way, whose end must not be taken for ours. */
  #ignored = false;

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
    this.#signer.fetch().then(
      () => {
        if (this.#isOver) return;
        const signed = this.#signer.sign(this.#request);
        if (signed) this.#send(signed);
        else this.#fail(new Fault('upstream_auth_failed', 'The credential was given out already expired.'));
      },
      (error: unknown) => this.#fail(error instanceof Error ? error : new Error(String(error))),
    );
  }

  #send(signed: Signed): void {
    this.#ignored = false;
    this.#by = signed.by;
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

  onHead(status: number, headers: UpstreamHeaders, flow: Flow): void {
    const refused = REFUSALS.has(status) && this.#by && this.#signer.refused(status, headers, this.#by);
    if (!refused || !this.#mayRepeat()) return this.#handler.onHead(status, headers, flow);
    this.#isSecond = true;
    this.#ignored = true;
    this.#cancel?.();
    this.start();
  }

  /** A body that was sent as it came is gone. */
  #mayRepeat(): boolean {
    const { body } = this.#request;
    return !this.#isSecond && (body === null || Buffer.isBuffer(body));
  }

  onData(chunk: Buffer): void {
    if (!this.#ignored) this.#handler.onData(chunk);
  }

  onEnd(): void {
    if (!this.#ignored) this.#handler.onEnd();
  }

  onError(error: Error): void {
    if (!this.#ignored) this.#fail(error);
  }
}
