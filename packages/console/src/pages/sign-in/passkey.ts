/** Asks the browser for a passkey. Both ends speak the JSON of WebAuthn Level 3, section 5.1.9; nothing is rewritten here. */
export async function askPasskey(options: unknown): Promise<unknown> {
  // Bare, or as the member that `navigator.credentials.get` takes.
  const inner =
    typeof options === 'object' && options !== null && 'publicKey' in options ? options.publicKey : options;
  const given = isOptions(inner) ? PublicKeyCredential.parseRequestOptionsFromJSON(inner) : undefined;
  if (!given) throw new Error('The server’s passkey question could not be read.');
  const credential = await navigator.credentials.get({ publicKey: given });
  if (!(credential instanceof PublicKeyCredential)) throw new Error('No passkey was chosen.');
  return credential.toJSON();
}

/** True where the browser can use passkeys: on https or localhost. */
export function canUsePasskeys(): boolean {
  return window.isSecureContext && 'PublicKeyCredential' in window;
}

function isOptions(value: unknown): value is PublicKeyCredentialRequestOptionsJSON {
  return typeof value === 'object' && value !== null && 'challenge' in value;
}
