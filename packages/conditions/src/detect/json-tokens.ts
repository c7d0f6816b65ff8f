const BACKSLASH = 0x5c;

/** Returns the position after the JSON string whose opening quote is at `start`. */
export function findJsonStringEnd(json: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = json.indexOf('"', at);
    if (at === -1) return json.length;
    if (!isEscaped(json, at, start)) return at + 1;
  }
}

/** Returns whether a backslash before `at` escapes the character. An even number of backslashes escape each other. */
function isEscaped(json: string, at: number, start: number): boolean {
  let slashes = 0;
  while (at - slashes - 1 > start && json.charCodeAt(at - slashes - 1) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}

/**
 * Closes the string in which a truncated JSON text ends. Removes an incomplete escape sequence. Returns null
 * if the text does not end in a string.
 */
export function closeLastJsonString(json: string): string | null {
  const padded = `${json}"`;
  for (let at = 0; ; ) {
    const start = padded.indexOf('"', at);
    if (start === json.length) return null;
    at = findJsonStringEnd(padded, start);
    if (at > json.length) return `${json.slice(0, findIncompleteEscape(json, start))}"`;
  }
}

/** Returns the start of the incomplete escape sequence at the end, or the length of the text. */
function findIncompleteEscape(json: string, start: number): number {
  for (const chars of [0, 1, 2, 3, 4]) {
    const at = json.length - chars;
    if (chars > 0 && json.charAt(at) === 'u' && isEscaped(json, at, start)) return at - 1;
    if (chars === 0 && isEscaped(json, at, start)) return at - 1;
  }
  return json.length;
}

/** Returns the position after the JSON number that starts at `start`. */
export function findJsonNumberEnd(json: string, start: number): number {
  let at = start;
  for (; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    const isPart = (code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x2b || code === 0x2d;
    if (!isPart && (code | 0x20) !== 0x65) break;
  }
  return at;
}

/** Returns whether the JSON string that ends at `end` is the name of a member. */
export function isJsonMemberName(json: string, end: number): boolean {
  let at = end;
  while (json.charCodeAt(at) <= 0x20) at += 1;
  return json.charCodeAt(at) === 0x3a;
}

/** Returns whether a text starts like a JSON object or array. */
export function startsLikeJson(text: string): boolean {
  return /^\s{0,16}[[{]/.test(text);
}

/** Returns whether a text is a JSON object or array. */
export function isJsonObjectOrArray(text: string): boolean {
  if (!startsLikeJson(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
