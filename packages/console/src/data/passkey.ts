/**
 * Asks the browser to sign the server’s challenge with a passkey. The server and the browser both use the JSON
 * format of WebAuthn Level 3, section 5.1.9, so no conversion is needed.
 */
export async function requestPasskeyAssertion(options: unknown): Promise<unknown> {
  // The options are either the public key options or an object that contains them as `publicKey`.
  const inner =
    typeof options === 'object' && options !== null && 'publicKey' in options ? options.publicKey : options;
  const given = isOptions(inner) ? PublicKeyCredential.parseRequestOptionsFromJSON(inner) : undefined;
  if (!given)
    throw new Error(
      'The browser could not read the passkey request from the server. Reload the page and try again.',
    );
  const credential = await navigator.credentials.get({ publicKey: given }).catch((error: unknown) => {
    // The browser’s own message after the user cancels is a link to its specification, so it is replaced.
    if (error instanceof DOMException)
      throw new Error('No passkey was used. Try again or use another method.');
    throw error;
  });
  if (!(credential instanceof PublicKeyCredential)) throw new Error('No passkey was selected.');
  return credential.toJSON();
}

/** Returns whether the browser can use passkeys, which requires HTTPS or localhost. */
export function canUsePasskeys(): boolean {
  return window.isSecureContext && 'PublicKeyCredential' in window;
}

function isOptions(value: unknown): value is PublicKeyCredentialRequestOptionsJSON {
  return typeof value === 'object' && value !== null && 'challenge' in value;
}

/** Creates a passkey in the browser with the options that the server sent. */
export async function createPasskey(options: unknown): Promise<unknown> {
  if (!isCreation(options))
    throw new Error(
      'The browser could not read the passkey request from the server. Reload the page and try again.',
    );
  const credential = await navigator.credentials.create({
    publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
  });
  if (!(credential instanceof PublicKeyCredential)) throw new Error('No passkey was created.');
  return credential.toJSON();
}

function isCreation(value: unknown): value is PublicKeyCredentialCreationOptionsJSON {
  return typeof value === 'object' && value !== null && 'challenge' in value && 'rp' in value;
}
