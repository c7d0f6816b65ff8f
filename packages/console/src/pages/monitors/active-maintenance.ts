/** The fields that determine whether a maintenance window applies to a monitor. */
interface WindowScope {
  readonly active_until: string | null;
  readonly monitors: readonly string[];
  readonly tags: readonly string[];
}

/**
 * Returns a maintenance window that is active at `now` and applies to the monitor, or undefined if there is none. The
 * windows may have been loaded earlier, so a window whose end has passed is over.
 */
export function findActiveMaintenanceWindow<Window extends WindowScope>(
  windows: readonly Window[],
  { id, tags }: { readonly id: string; readonly tags: readonly string[] },
  now: Date,
): Window | undefined {
  return windows.find(
    (window) =>
      window.active_until !== null &&
      Date.parse(window.active_until) > now.getTime() &&
      ((window.monitors.length === 0 && window.tags.length === 0) ||
        window.monitors.includes(id) ||
        window.tags.some((tag) => tags.includes(tag))),
  );
}
