import type { Board } from '@floe/contract/api/boards';

export interface BoardGroup {
  readonly name: string;
  readonly monitors: readonly string[];
}

export interface BoardForm {
  readonly slug: string;
  readonly name: string;
  readonly public: boolean;
  /** Empty: the org's. */
  readonly timezone: string;
  readonly groups: readonly BoardGroup[];
}

export const NEW_BOARD: BoardForm = {
  slug: 'status',
  name: '',
  public: false,
  timezone: '',
  groups: [{ name: 'Scheduled jobs', monitors: [] }],
};

export function boardFormOf({ slug, name, public: open, timezone, groups }: Board): BoardForm {
  return { slug, name, public: open, timezone: timezone ?? '', groups };
}

/** What the API takes. */
export function boardBody({ slug, name, public: open, timezone, groups }: BoardForm) {
  return {
    slug: slug.trim(),
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    public: open,
    timezone: timezone === '' ? null : timezone,
    groups: groups.map((group) => ({ name: group.name.trim(), monitors: [...group.monitors] })),
  };
}

/** The same groups with one of them changed. */
export function withGroup(
  groups: readonly BoardGroup[],
  at: number,
  change: Partial<BoardGroup>,
): readonly BoardGroup[] {
  return groups.map((group, index) => (index === at ? { ...group, ...change } : group));
}

/** An entry moved to another place; what would fall out of the list stays where it is. */
export function moved<Entry>(list: readonly Entry[], from: number, to: number): readonly Entry[] {
  const entry = list[from];
  if (entry === undefined || to < 0 || to >= list.length || from === to) return list;
  const rest = list.filter((_, index) => index !== from);
  return [...rest.slice(0, to), entry, ...rest.slice(to)];
}
