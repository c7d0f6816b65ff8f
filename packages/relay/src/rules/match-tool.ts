import { compileWildcards, type WildcardMatcher } from '@floe/conditions/wildcards';
import { combineRequiredMatches, type MatchResult } from './match-result.ts';

/** A call to a connector's tool. */
export interface ToolCall {
  readonly name: string;
  readonly server?: string | undefined;
  readonly url?: string | undefined;
  readonly command?: string | undefined;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The fields of a rule's `match` that apply to tool calls. */
export interface ToolPattern {
  readonly server_url?: readonly string[] | undefined;
  readonly server_command?: readonly string[] | undefined;
  readonly tool?: readonly string[] | undefined;
  readonly arguments?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The name of a connector whose name the agent does not state. */
export const UNKNOWN_SERVER = 'unknown';

/** Matches one tool call. */
export type ToolMatcher = (call: ToolCall) => MatchResult;

/**
 * Returns a matcher for a tool call pattern. Returns null if the pattern matches every call. A connector is
 * identified by its URL or by the command that starts it. Its name is ignored, because a user can choose any
 * name. If a match permits the event (`permits`), an argument certainly matches only if all of its values match.
 */
export function compileToolPattern(pattern: ToolPattern, permits = false): ToolMatcher | null {
  const { server_url, server_command, tool } = pattern;
  const parts: ToolMatcher[] = [];
  if (tool) {
    const like = compileWildcards(tool);
    parts.push((call) => matchToolName(call, like, permits));
  }
  if (server_url || server_command) parts.push(serverMatcher(server_url, server_command));
  for (const [path, patterns] of Object.entries(pattern.arguments ?? {})) {
    const like = compileWildcards(patterns);
    parts.push((call) => matchValues(findValues(call.arguments, path.split('.')), like, permits));
  }
  if (parts.length === 0) return null;
  return (call) =>
    parts.reduce<MatchResult>(
      (sum, part) => (sum === 'no' ? sum : combineRequiredMatches(sum, part(call))),
      'yes',
    );
}

/** The name of a tool of an unknown connector may start with the name of the connector: `<connector>-<tool>`. */
function matchToolName({ name, server }: ToolCall, like: WildcardMatcher, permits: boolean): MatchResult {
  if (like(name)) return 'yes';
  if (server !== UNKNOWN_SERVER) return 'no';
  for (let at = name.indexOf('-'); at !== -1; at = name.indexOf('-', at + 1))
    if (like(name.slice(at + 1))) return permits ? 'maybe' : 'yes';
  return 'no';
}

function serverMatcher(
  urls: readonly string[] | undefined,
  commands: readonly string[] | undefined,
): ToolMatcher {
  const byUrl = compileWildcards((urls ?? []).flatMap(toUrlForms));
  const byCommand = compileWildcards(commands ?? []);
  return ({ url, command, server }) => {
    if (url !== undefined && byUrl(cleanUrl(url))) return 'yes';
    if (command !== undefined && byCommand(command.replaceAll(/\s+/g, ' ').trim())) return 'yes';
    // Built-in tools have no connector. A connector with only a name may be any connector.
    return url === undefined && command === undefined && server !== undefined ? 'maybe' : 'no';
  };
}

/** The normalized forms of a URL pattern. `https://host/*` also matches the connector `https://host`. */
function toUrlForms(pattern: string): string[] {
  const clean = cleanUrl(pattern);
  return clean.endsWith('/*') ? [clean, clean.slice(0, -2)] : [clean];
}

/** Normalizes a URL: case and trailing dot of the host, default port, user name and trailing slash. */
function cleanUrl(url: string): string {
  // A pattern cannot be parsed as a URL. Only its default port and trailing slash are normalized.
  if (url.includes('*'))
    return url
      .replace(/^(https:\/\/[^/]+):443(?=\/|$)/i, '$1')
      .replace(/^(http:\/\/[^/]+):80(?=\/|$)/i, '$1')
      .replace(/\/$/, '');
  try {
    const { protocol, host, pathname, search } = new URL(url);
    return `${protocol}//${host.replace(/\.(?=:|$)/, '')}${pathname}${search}`.replace(/\/$/, '');
  } catch {
    return url;
  }
}

function matchValues(values: readonly unknown[], like: WildcardMatcher, permits: boolean): MatchResult {
  const matching = values.filter((value) => like(toText(value))).length;
  if (matching === 0) return 'no';
  return permits && matching < values.length ? 'maybe' : 'yes';
}

/**
 * Returns every value that a path can mean: a member name may contain a dot, and a list has several values. Uses a
 * list instead of recursion, because an agent may nest arguments thousands of levels deep.
 */
function findValues(root: unknown, path: readonly string[]): unknown[] {
  const found: unknown[] = [];
  const open: { readonly value: unknown; readonly rest: readonly string[] }[] = [{ value: root, rest: path }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, rest } = next;
    if (Array.isArray(value)) for (const entry of value) open.push({ value: entry, rest });
    else if (rest.length === 0) {
      if (value !== undefined) found.push(value);
    } else if (isRecord(value)) {
      for (let length = 1; length <= rest.length; length += 1) {
        const name = rest.slice(0, length).join('.');
        if (Object.hasOwn(value, name)) open.push({ value: value[name], rest: rest.slice(length) });
      }
    }
  }
  return found;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
