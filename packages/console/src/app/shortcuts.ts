import { use, useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { isActionAllowed, type PermissionAction } from '../data/permissions.ts';
import { SignedInSessionContext } from '../data/session.ts';

/** A keyboard shortcut: its keys, a description for the shortcut help, and the function that it runs. */
export interface Shortcut {
  /** A key, or two keys pressed in sequence, such as `g r`. `mod+k` means ⌘K or Ctrl+K. */
  readonly keys: string;
  readonly does: string;
  readonly run: () => void;
  /** The permission that the action requires. Without it, the shortcut does not exist. */
  readonly needs?: PermissionAction;
}

let lists: readonly (readonly Shortcut[])[] = [];
const readers = new Set<() => void>();
let before = '';
let beforeAt = 0;

function change(to: readonly (readonly Shortcut[])[]): void {
  lists = to;
  for (const reader of readers) reader();
}

/**
 * Registers shortcuts while the component is rendered. Single-key shortcuts are disabled while the user types
 * or if the user turned them off.
 */
export function useShortcuts(declared: readonly Shortcut[]): void {
  const session = use(SignedInSessionContext);
  const shortcuts = declared.filter(
    ({ needs }) => needs === undefined || session === null || isActionAllowed(session.role, needs),
  );
  const run = useEffectEvent((keys: string) => shortcuts.find((one) => one.keys === keys)?.run());
  const names = shortcuts.map(({ keys, does }) => `${keys}\n${does}`).join('\n\n');
  useEffect(() => {
    const list = names.split('\n\n').flatMap((line): Shortcut[] => {
      const [keys = '', does = ''] = line.split('\n');
      return keys === '' ? [] : [{ keys, does, run: () => run(keys) }];
    });
    change([...lists, list]);
    return () => change(lists.filter((other) => other !== list));
  }, [names]);
}

/** Returns all active shortcuts, for the shortcut help. */
export function useActiveShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(
    (reader) => {
      readers.add(reader);
      return () => readers.delete(reader);
    },
    () => lists,
  ).flat();
}

/** Listens for shortcut keys on the whole page. Must be called exactly once, in the shell. */
export function useShortcutListener(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const mod = event.metaKey || event.ctrlKey;
      if (event.defaultPrevented || event.altKey || (isTyping(event.target) && !mod)) return;
      const key = mod ? `mod+${event.key.toLowerCase()}` : event.key;
      if (!mod && (isAsked() || localStorage.getItem('floe.single-keys') === 'off')) return;
      const now = performance.now();
      const pair = now - beforeAt < 1000 ? `${before} ${key}` : '';
      before = key;
      beforeAt = now;
      const all = lists.flat();
      const found = all.findLast(({ keys }) => keys === pair) ?? all.findLast(({ keys }) => keys === key);
      if (!found) return;
      event.preventDefault();
      found.run();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** Whether a dialog or menu is open. It then receives the keys, and shortcuts are disabled. */
function isAsked(): boolean {
  return document.querySelector('[role=dialog],[role=menu]') !== null;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input,textarea,select,[contenteditable]') !== null;
}
