const BACKSLASH = 0x5c;

/** Returns the end of the JSON string whose opening quote is at `start`. */
export function findJsonStringEnd(json: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = json.indexOf('"', at);
    if (at === -1) return json.length;
    let slashes = 0;
    while (at - slashes - 1 > start && json.charCodeAt(at - slashes - 1) === BACKSLASH) slashes += 1;
    // An even number of backslashes escape each other.
    if (slashes % 2 === 0) return at + 1;
  }
}

/** Returns the end of the JSON number that starts at `start`. */
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
