/** The fields that determine whether a maintenance window applies to a monitor. */
interface WindowScope {
  readonly active_until: string | null;
  readonly monitors: readonly string[];
  readonly tags: readonly string[];
}

/** Returns an active maintenance window that applies to the monitor, or undefined if there is none. */
export function findActiveMaintenanceWindow<Window extends WindowScope>(
  windows: readonly Window[],
  { id, tags }: { readonly id: string; readonly tags: readonly string[] },
): Window | undefined {
  return windows.find(
    (window) =>
      window.active_until !== null &&
      ((window.monitors.length === 0 && window.tags.length === 0) ||
        window.monitors.includes(id) ||
        window.tags.some((tag) => tags.includes(tag))),
  );
}
