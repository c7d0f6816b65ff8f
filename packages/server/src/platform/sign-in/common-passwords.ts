/** Stems of the most common passwords of twelve characters and more, without digits and punctuation. */
const STEMS = new Set(
  `password passwort passwd passphrase qwerty qwertyuiop qwertzuiop azertyuiop asdfghjkl zxcvbnm qazwsx qazwsxedc
  letmein letmeinnow welcome welcomehome iloveyou iloveyouso trustno sunshine princess football baseball basketball
  superman batman dragon monkey master shadow michael jennifer jordan hunter freedom whatever starwars pokemon
  computer internet administrator admin adminadmin root rootroot user username guest test testing tester testtest
  changeme changemenow change please secret topsecret mysecret supersecret default temporary temp login loginlogin
  manager company server database example correcthorsebatterystaple abcdefghijkl abcdefghijklm abcdefgh abcdef abcabc
  abc aaa xyz iloveyouforever minecraft fortnite charlie ashley nicole jessica summer winter spring autumn hello
  helloworld goodbye blink liverpool chelsea arsenal barcelona manchester google facebook samsung apple microsoft
  floe floefloe openai anthropic gateway heartbeat`.split(/\s+/),
);

/** Characters that replace letters in passwords. */
const SUBSTITUTIONS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

const KEYBOARD_ROWS = [
  '01234567890123456789',
  '98765432109876543210',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn',
];

/**
 * Returns whether a password is one of those that attackers try first: a common word with digits, a
 * repeated character or group, a row of keys on the keyboard, or the user's own email address.
 */
export function isCommonPassword(password: string, email: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase();
  const [local = ''] = email.toLowerCase().split('@');
  return (
    isGuessable(plain) ||
    plain === email.toLowerCase() ||
    (local.length >= 3 && lettersOnly(plain) === lettersOnly(local))
  );
}

function isGuessable(plain: string): boolean {
  if (KEYBOARD_ROWS.some((row) => row.includes(plain))) return true;
  if (repeatLength(plain) <= Math.min(6, plain.length / 2)) return true;
  const core = plain.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return [
    lettersOnly(plain),
    lettersOnly(undoSubstitutions(plain)),
    lettersOnly(undoSubstitutions(core)),
  ].some((letters) => {
    if (letters.length === 0) return plain.length < 16;
    return STEMS.has(letters) || STEMS.has(letters.slice(0, repeatLength(letters)));
  });
}

function undoSubstitutions(text: string): string {
  return [...text].map((character) => SUBSTITUTIONS[character] ?? character).join('');
}

/** Removes everything except letters, because attackers add it by rule. */
function lettersOnly(text: string): string {
  return text.replaceAll(/[^\p{L}]/gu, '');
}

/** Length of the shortest repeated group. The last repetition may be incomplete. */
function repeatLength(text: string): number {
  for (let length = 1; length < text.length; length++) if (text.startsWith(text.slice(length))) return length;
  return text.length;
}
