/** Asks the browser for a passkey. Both ends speak the JSON of WebAuthn Level 3, section 5.1.9; nothing is rewritten here. */
export async function getPasskeyAssertion(options: unknown): Promise<unknown> {
  // Bare, or as the member that `navigator.credentials.get` takes.
  const inner =
    typeof options === 'object' && options !== null && 'publicKey' in options ? options.publicKey : options;
  const given = isOptions(inner) ? PublicKeyCredential.parseRequestOptionsFromJSON(inner) : undefined;
  if (!given)
    throw new Error(
      'The browser could not read the passkey request from the server. Reload the page and try again.',
    );
  const credential = await navigator.credentials.get({ publicKey: given }).catch((error: unknown) => {
    // The browser's own words for a person who said no are a link to its specification.
    if (error instanceof DOMException)
      throw new Error('No passkey was used. Try again or use another method.');
    throw error;
  });
  if (!(credential instanceof PublicKeyCredential)) throw new Error('No passkey was selected.');
  return credential.toJSON();
}

/** True where the browser can use passkeys: on https or localhost. */
export function canUsePasskeys(): boolean {
  return window.isSecureContext && 'PublicKeyCredential' in window;
}

function isOptions(value: unknown): value is PublicKeyCredentialRequestOptionsJSON {
  return typeof value === 'object' && value !== null && 'challenge' in value;
}

/** Has the browser make a passkey, with what the server says about it. */
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
