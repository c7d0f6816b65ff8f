import { hostname } from 'node:os';
import type { RelayEvent } from '@floe/contract/api/relay';
import { exceedsHookLimits, HOOK_LIMITS_TEXT } from '@floe/relay/hooks/hook-adapter';
import { findGitRemoteAndBranch } from './git-repository.ts';
import { findHomeDirectory } from './home-directory.ts';
import { HookRequestError } from './hook-http.ts';

/** Version of the client. Decisions record it. */
const CLIENT_VERSION = '0.1.0';
/** Maximum number of characters per text, because the server accepts bodies of 1 MiB. */
const MAX_TEXT_CHARS = 200_000;
const MAX_EVENT_CHARS = 900_000;

/** Events in the form in which the hook sends them to the relay. */
export interface PreparedRelayEvents {
  readonly events: readonly RelayEvent[];
  /** Whether a text was truncated. A decision that does not block the action is then not sufficient. */
  readonly isTruncated: boolean;
}

/**
 * Prepares events for the relay: adds an id, the client and the context of `addMachineContext` to each event, and
 * truncates events that are too long to send.
 * @throws HookRequestError if there are too many events or too much content
 */
export function prepareRelayEvents(events: readonly RelayEvent[]): PreparedRelayEvents {
  if (exceedsHookLimits(events))
    throw new HookRequestError(
      `the hook call is too large; number of events: ${events.length}; Floe can evaluate at most ${HOOK_LIMITS_TEXT}`,
    );
  const host = hostname().slice(0, 200);
  const batchId = `${Date.now().toString(36)}-${process.pid}-${Math.random().toString(36).slice(2)}`;
  let isTruncated = false;
  const sent = addMachineContext(events).map((event, index) => {
    const short = truncateEvent(event);
    isTruncated ||= short !== event;
    return {
      ...short,
      id: event.id ?? `${batchId}:${index}`,
      client: { version: CLIENT_VERSION, ...(host !== '' && { host }) },
    };
  });
  return { events: sent, isTruncated };
}

/**
 * Adds the home directory and the Git repository to each event. Rules need them to match paths that start with `~`,
 * repositories and branches.
 */
export function addMachineContext(events: readonly RelayEvent[]): readonly RelayEvent[] {
  const home = findHomeDirectory();
  const repositories = new Map<string, RelayEvent['repository']>();
  return events.map((event) => {
    const { cwd } = event;
    if (cwd !== undefined && !repositories.has(cwd)) repositories.set(cwd, findGitRemoteAndBranch(cwd));
    const repository = cwd === undefined ? undefined : repositories.get(cwd);
    return { ...event, ...(home !== null && { home_dir: home }), ...(repository && { repository }) };
  });
}

/**
 * Returns the event itself if it is short enough. Otherwise truncates it, because its beginning may still
 * match rules.
 */
function truncateEvent(event: RelayEvent): RelayEvent {
  if (JSON.stringify(event).length <= MAX_EVENT_CHARS) return event;
  const { shell, prompt, file, tool, ...rest } = event;
  return {
    ...rest,
    ...(shell && { shell: { ...shell, command: shell.command.slice(0, MAX_TEXT_CHARS) } }),
    ...(prompt && {
      prompt: { text: prompt.text.slice(0, MAX_TEXT_CHARS), attachments: prompt.attachments.slice(0, 100) },
    }),
    ...(file && {
      file: { path: file.path.slice(0, 4_096), content: file.content?.slice(0, MAX_TEXT_CHARS) },
    }),
    ...(tool && { tool: { ...tool, arguments: {} } }),
  };
}
