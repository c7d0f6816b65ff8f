import { homedir, hostname } from 'node:os';
import type { RelayEvent } from '@floe/contract/api/relay';
import { findGitRemoteAndBranch } from './git-repository.ts';

/** Version of the client. Decisions record it. */
const CLIENT_VERSION = '0.1.0';
/** Maximum number of characters per text, because the server accepts bodies of 1 MiB. */
const MAX_TEXT_CHARS = 200_000;
const MAX_EVENT_CHARS = 900_000;

/** Events in the form in which they are sent to the relay. */
export interface PreparedRelayEvents {
  readonly events: readonly RelayEvent[];
  /** Whether a text was truncated. A decision that does not block the action is then not sufficient. */
  readonly isTruncated: boolean;
}

/**
 * Prepares events for sending to the relay: adds ids and information about the client, and truncates long
 * texts.
 */
export function prepareRelayEvents(events: readonly RelayEvent[]): PreparedRelayEvents {
  const home = homedir();
  const host = hostname().slice(0, 200);
  const batchId = `${Date.now().toString(36)}-${process.pid}-${Math.random().toString(36).slice(2)}`;
  let isTruncated = false;
  const sent = events.map((event, index) => {
    const short = truncateEvent(event);
    isTruncated ||= short !== event;
    const repository = event.cwd === undefined ? undefined : findGitRemoteAndBranch(event.cwd);
    return {
      ...short,
      id: event.id ?? `${batchId}:${index}`,
      client: { version: CLIENT_VERSION, ...(host !== '' && { host }) },
      ...(home !== '' && { home_dir: home }),
      ...(repository && { repository }),
    };
  });
  return { events: sent, isTruncated };
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
